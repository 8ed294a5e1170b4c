import ShaleBase

extension Namespace {
    /// Sets `key` to `value` in one atomic step if its current value is `expected`. `nil` stands for a missing key on
    /// either side.
    ///
    /// The call retries whenever a concurrent write of the key wins; in each round at least one of the competing
    /// writers succeeds.
    ///
    /// - Returns: True if the value was set; false if nothing was written.
    /// - Throws: The errors of getting and setting. A stored value that is no `T` throws `.typeMismatch` or
    ///   `.codecFailure`; it does not merely count as unequal.
    public func compareAndSet<T: Codable & Equatable>(
        _ value: T?, forKey key: some StoreKey, expecting expected: T?, as format: CodableFormat? = nil,
        _ options: ValueOptions = [], durability: Durability? = nil
    ) throws(StorageError) -> Bool {
        let core = state.core
        try core.requireOpen()
        return try core.engine.transaction(attempts: .max, durability: durability) {
            (transaction) throws(StorageError) in
            let transaction = StoreTransaction(core, transaction)
            guard try transaction.value(forKey: key, in: self, as: T.self) == expected else { return false }
            try transaction.set(value, forKey: key, in: self, as: format, options)
            return true
        }
    }
}
