public import ShaleBase

/// Atomic changes of one value. They may run beside any other writers: a change whose entry was written meanwhile runs
/// again on the newest value.
extension Store.Namespace {
    /// Reads a value, lets `body` change it and writes it, in one atomic step.
    ///
    /// ```swift
    /// try accounts.update(forKey: "ada", default: Account()) { $0.balance += 20 }
    /// ```
    /// A missing key begins with `defaultValue`. The entry keeps its expiry, its purgeability and the format of its
    /// document; an encrypted value stays encrypted with its cipher. Settings in `options` override these. If another
    /// writer changes the entry meanwhile, `body` runs again on the newest value, so it should have no side effects.
    ///
    /// `format` is as in ``set(_:forKey:as:options:durability:)``; `nil` keeps the format of a stored document.
    /// - Returns: The result of `body`.
    /// - Throws: The errors of `body`, of getting and of setting; then nothing has been written.
    @discardableResult
    public func update<T: Codable & Sendable, R>(
        forKey key: some StoreKey, as type: T.Type = T.self, default defaultValue: T, format: CodableFormat? = nil,
        options: ValueOptions = [], durability: Durability? = nil, _ body: (inout T) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        try update(EntryUpdate(self, .codable(format), defaultValue, [], options), key, durability, body) { $0 }
    }

    /// Does the same for a `body` that throws errors of any type. The caller gets the error of `body` unchanged.
    @discardableResult
    public func update<T: Codable & Sendable, R>(
        forKey key: some StoreKey, as type: T.Type = T.self, default defaultValue: T, format: CodableFormat? = nil,
        options: ValueOptions = [], durability: Durability? = nil, _ body: (inout T) throws -> R
    ) throws -> R {
        try update(EntryUpdate(self, .codable(format), defaultValue, [], options), key, durability, body) { $0 }
    }

    /// Reads the value of a typed key, lets `body` change it and writes it, in one atomic step.
    ///
    /// ```swift
    /// try settings.update(for: .recentFiles) { $0.append(name) }
    /// ```
    /// A missing key begins with the key's default. If `body` sets an optional value to `nil`, the key is removed.
    /// Otherwise the call is like the update of a plain key; the key's options apply to an entry that is created.
    @discardableResult
    public func update<Value, R>(
        for key: Key<Value>, options: ValueOptions = [], durability: Durability? = nil,
        _ body: (inout Value) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        try update(EntryUpdate(self, key, options), key.name, durability, body) { $0 }
    }

    /// Does the same for a `body` that throws errors of any type. The caller gets the error of `body` unchanged.
    @discardableResult
    public func update<Value, R>(
        for key: Key<Value>, options: ValueOptions = [], durability: Durability? = nil,
        _ body: (inout Value) throws -> R
    ) throws -> R {
        try update(EntryUpdate(self, key, options), key.name, durability, body) { $0 }
    }

    /// Adds `amount` to an integer in one atomic step. A missing key counts as 0.
    ///
    /// ```swift
    /// let visits = try counters.increment(forKey: "visits", by: 2 as UInt64)
    /// ```
    /// The entry keeps its expiry and its flags, unless `options` override them.
    ///
    /// - Returns: The new number.
    /// - Throws: `.overflow` if the sum does not fit into `T`; `.typeMismatch` if the stored value is no integer that
    ///   fits into `T`. Nothing has been written then. Also the errors of getting and setting.
    @discardableResult
    public func increment<T: FixedWidthInteger & StorableValue>(
        forKey key: some StoreKey, by amount: T, options: ValueOptions = [], durability: Durability? = nil
    ) throws(StorageError) -> T {
        try increment(EntryUpdate(self, .storable(), 0, [], options), key, by: amount, durability)
    }

    /// Adds `amount`, 1 if it is not given, to an `Int` in one atomic step. A missing key counts as 0.
    ///
    /// ```swift
    /// let visits = try counters.increment(forKey: "visits")
    /// ```
    /// Returns the new number.
    @discardableResult
    public func increment(
        forKey key: some StoreKey, by amount: Int = 1, options: ValueOptions = [], durability: Durability? = nil
    ) throws(StorageError) -> Int {
        try increment(EntryUpdate(self, .storable(), 0, [], options), key, by: amount, durability)
    }

    /// Adds `amount` to the number of a typed key in one atomic step. A missing key counts as the key's default.
    ///
    /// ```swift
    /// let launches = try settings.increment(for: .launches)
    /// ```
    /// Returns the new number.
    @discardableResult
    public func increment<T: FixedWidthInteger & StorableValue>(
        for key: Key<T>, by amount: T = 1, options: ValueOptions = [], durability: Durability? = nil
    ) throws(StorageError) -> T {
        try increment(EntryUpdate(self, key, options), key.name, by: amount, durability)
    }

    /// Gives the entry of `key` a new expiry or purgeability in one atomic step. Its value stays.
    ///
    /// ```swift
    /// try sessions.touch(.expires(after: .seconds(1800)), forKey: token)
    /// ```
    /// Settings that `options` leave out stay. The stored bytes, their codec and their time of writing stay; only an
    /// encrypted value is encrypted again, because expiry and purgeability are authenticated with it. If nothing
    /// changes, nothing is written.
    ///
    /// - Returns: True if the key exists.
    /// - Throws: `.invalidArgument` if `options` name encryption, which is part of the value. Also the errors of
    ///   getting and setting.
    @discardableResult
    public func touch(
        _ options: ValueOptions, forKey key: some StoreKey, durability: Durability? = nil
    ) throws(StorageError) -> Bool {
        try options.requireNoEncryption()
        return try state.reading { (_) throws(StorageError) -> Bool? in
            try changing(
                durability,
                { (transaction) throws(StorageError) in
                    try transaction.touch(options, forKey: key, in: self)
                }, { $0 })
        } ?? false
    }

    /// Gives the entry of a typed key a new expiry or purgeability in one atomic step. See
    /// ``touch(_:forKey:durability:)``.
    @discardableResult
    public func touch<Value>(
        _ options: ValueOptions, for key: Key<Value>, durability: Durability? = nil
    ) throws(StorageError) -> Bool {
        try touch(options, forKey: key.name, durability: durability)
    }
}

extension Store.Namespace {
    private func update<Value, R, Failure: Error>(
        _ update: EntryUpdate<Value>, _ key: some StoreKey, _ durability: Durability?,
        _ body: (inout Value) throws(Failure) -> R, _ failure: (StorageError) -> Failure
    ) throws(Failure) -> R {
        try changing(
            durability,
            { (transaction) throws(Failure) in try transaction.update(update, key, body, failure) }, failure)
    }

    private func increment<T: FixedWidthInteger>(
        _ update: EntryUpdate<T>, _ key: some StoreKey, by amount: T, _ durability: Durability?
    ) throws(StorageError) -> T {
        try changing(
            durability,
            { (transaction) throws(StorageError) in try transaction.increment(update, key, by: amount) }, { $0 })
    }

    /// Runs a transaction until it meets no conflict. In each round at least one of the competing writers commits.
    ///
    /// Never specialized: Swift 6.3.1 crashes when it inlines a specialized form of the closure.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    func changing<R, Failure: Error>(
        _ durability: Durability?, _ body: (borrowing Store.Transaction) throws(Failure) -> R,
        _ failure: (StorageError) -> Failure
    ) throws(Failure) -> R {
        let core = state.core
        do throws(StorageError) { try core.requireOpen() } catch { throw failure(error) }
        return try core.transaction(
            .max, durability,
            { (transaction) throws(Failure) in try body(Store.Transaction(core, transaction)) }, failure)
    }
}
