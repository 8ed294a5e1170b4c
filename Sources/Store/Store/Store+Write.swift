import ShaleBase

extension Store {
    /// Writes that take effect together, over any namespaces: all of them or none, for readers and after any fault.
    ///
    /// ```swift
    /// try store.write(durability: .synced) { (batch) throws(StorageError) in
    ///     try batch.set(90, forKey: "a", in: accounts)
    ///     try batch.set(110, forKey: "b", in: accounts)
    /// }
    /// ```
    /// What `body` throws ends the batch, and nothing is written. Errors besides: those of setting a value, and
    /// `.namespaceDropped` when one of the namespaces was dropped while the batch was made: nothing was written; run it
    /// again. Namespaces that the batch needs are made before it and stay, empty, if it fails. At most 64 MiB.
    public func write<R>(
        durability: Durability? = nil, _ body: (inout StoreBatch) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        var batch = StoreBatch(core)
        let result = try body(&batch)
        try batch.commit(durability)
        return result
    }

    /// Reads and writes that take effect together, and only if nothing that was read has changed meanwhile.
    ///
    /// ```swift
    /// try store.transaction { (transaction) throws(StorageError) in
    ///     let count = try transaction.value(forKey: "count", in: counters, as: Int.self) ?? 0
    ///     try transaction.set(count + 1, forKey: "count", in: counters)
    /// }
    /// ```
    /// Nothing is locked while `body` runs; on a conflict it runs again with the newest state, `attempts` times in all,
    /// and then `.conflict` is thrown. So it should do nothing else that must not happen twice. What it throws ends the
    /// transaction, and nothing is written. Other errors as for ``write(durability:_:)``.
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
    /// The namespace's id for a batch or transaction of this store.
    func id(for namespace: Namespace) throws(StorageError) -> NamespaceID {
        try requireOwn(namespace)
        return try namespace.state.existingOrNew()
    }

    func requireOwn(_ namespace: Namespace) throws(StorageError) {
        guard namespace.state.core === self else { throw .invalid("the namespace belongs to another store") }
    }
}
