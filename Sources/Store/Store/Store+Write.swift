import ShaleBase

extension Store {
    /// Commits a batch of writes to any namespaces atomically, for readers and after any fault.
    ///
    /// ```swift
    /// try store.write(durability: .synced) { (batch) throws(StorageError) in
    ///     try batch.set(90, forKey: "a", in: accounts)
    ///     try batch.set(110, forKey: "b", in: accounts)
    /// }
    /// ```
    /// A batch takes at most 64 MiB in the log. A namespace that does not exist is created when `body` first writes to
    /// it. If the batch fails, it remains and is empty.
    ///
    /// - Throws: The errors of `body` and of setting a value; `.namespaceDropped` if a namespace was dropped while the
    ///   batch was built. Unless the error is `.indeterminate`, nothing has been written. After `.namespaceDropped`,
    ///   run the batch again.
    public func write<R>(
        durability: Durability? = nil, _ body: (inout StoreBatch) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        var batch = StoreBatch(core)
        let result = try body(&batch)
        try batch.commit(durability)
        return result
    }

    /// Runs reads and writes as one transaction, which commits only if nothing that was read has changed meanwhile.
    ///
    /// ```swift
    /// try store.transaction { (transaction) throws(StorageError) in
    ///     let count = try transaction.value(forKey: "count", in: counters, as: Int.self) ?? 0
    ///     try transaction.set(count + 1, forKey: "count", in: counters)
    /// }
    /// ```
    /// Nothing is locked while `body` runs. After a conflict it runs again on the newest state, up to `attempts` times
    /// in all. It should therefore have no side effects outside the transaction.
    ///
    /// - Throws: The errors of `body`; then nothing has been written. `.conflict` if the last attempt conflicts. Other
    ///   errors are those of ``write(durability:_:)``.
    public func transaction<R>(
        attempts: Int = 8, durability: Durability? = nil,
        _ body: (borrowing StoreTransaction) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        try core.requireOpen()
        return try core.engine.transaction(attempts: attempts, durability: durability) {
            (transaction) throws(StorageError) in try body(StoreTransaction(core, transaction))
        }
    }
}

extension StoreCore {
    /// Returns the namespace's id for a batch or transaction of this store.
    func id(for namespace: Namespace) throws(StorageError) -> NamespaceID {
        try requireOwn(namespace)
        return try namespace.state.existingOrNew()
    }

    func requireOwn(_ namespace: Namespace) throws(StorageError) {
        guard namespace.state.core === self else { throw .invalid("the namespace belongs to another store") }
    }
}
