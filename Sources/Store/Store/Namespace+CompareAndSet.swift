import ShaleBase

extension Namespace {
    /// Sets `key` to `value` if its value is `expected`, as one step; `nil` stands for a missing key on either side.
    /// Returns whether it was set; if not, nothing was written.
    ///
    /// Writers that are faster make it look again, as often as that takes: somebody always gets on. Errors as for getting
    /// and setting; a stored value that is no `T` is `.typeMismatch` or `.codecFailure`, not just unequal.
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
