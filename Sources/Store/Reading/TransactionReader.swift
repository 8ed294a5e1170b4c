import ShaleBase

extension Store.Transaction {
    /// Returns a reader of a namespace as this transaction sees it: at the transaction's moment, with the transaction's
    /// own writes.
    ///
    /// ```swift
    /// try store.transaction { (transaction) throws(StorageError) in
    ///     guard let job = try transaction[waiting].entries.first() else { return }
    ///     try transaction.remove(job.key, in: waiting)
    ///     try transaction.set(try job.value(as: String.self), forKey: job.key, in: taken)
    /// }
    /// ```
    /// Everything that was read must be unchanged at the commit. Otherwise the transaction conflicts and runs again:
    ///
    /// | read | conflicts if another writer |
    /// |---|---|
    /// | a key, present or missing | writes the key |
    /// | a scan | writes a key between the scan's start and the last entry that it delivered |
    /// | a scan to its end, `count()` | writes a key in the scan's range |
    /// | any of these | purges, truncates or drops the namespace |
    ///
    /// A scan sees the transaction's writes as of its start, and delivers entries as they are asked for. Keys that the
    /// transaction wrote itself before it read them don't conflict. After the transaction has ended, the reader throws
    /// `.invalidArgument`.
    public subscript(namespace: Store.Namespace) -> Reader {
        Reader(source: Store.Namespace.Source(namespace.state, .transaction(transaction, in: core)))
    }

    /// A namespace as a transaction sees it.
    public struct Reader: NamespaceReader {
        public let source: Store.Namespace.Source

        fileprivate init(source: Store.Namespace.Source) { self.source = source }
    }
}
