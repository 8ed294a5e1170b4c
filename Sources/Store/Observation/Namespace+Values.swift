public import ShaleBase

/// Values that are read again after each change: see ``Store/Values``.
extension Store.Namespace {
    /// Returns the values of a typed key: the current one, then the newest one whenever it has changed.
    public func values<Value>(for key: Key<Value>) throws(StorageError) -> Store.Values<Value> {
        Store.Values(try changes(for: key, capacity: 1, reportsExpiry: true), .inPlace) { (_) throws(StorageError) in
            try value(for: key)
        }
    }

    /// Returns the value of a key as a type: the current one, then the newest one whenever it has changed; `nil` while
    /// the key is missing, which an expired one is.
    ///
    /// ```swift
    /// for try await count in try stock.values(forKey: "tea", as: Int.self) { show(count ?? 0) }
    /// ```
    /// - Throws: The errors of ``changes(in:capacity:since:reportsExpiry:)``.
    public func values<T: Decodable & Sendable>(
        forKey key: some StoreKey, as type: T.Type = T.self
    ) throws(StorageError) -> Store.Values<T?> {
        let key = EntryKey(try key.keyBytes)
        return Store.Values(try changes(forKey: key, capacity: 1, reportsExpiry: true), .inPlace) {
            (_) throws(StorageError) in
            try value(forKey: key, as: T.self)
        }
    }

    /// Returns the entries of a range, decoded as a type: the current ones, then the newest ones whenever something in
    /// the range has changed.
    ///
    /// ```swift
    /// for try await orders in try orders.values(prefix: "2026-", as: Order.self, limit: 50) {
    ///     show(orders.map(\.value.item))
    /// }
    /// ```
    /// Each element is read as of one moment.
    ///
    /// - Parameters:
    ///   - range: The keys to observe.
    ///   - type: The type of all values in the range.
    ///   - limit: The number of entries to deliver at most: the first ones of the range. A change behind them also
    ///     delivers them again.
    ///   - reportsExpiry: True to deliver the entries again after one has expired. See ``Store/Changes`` for the cost.
    /// - Throws: The errors of ``changes(in:capacity:since:reportsExpiry:)``; `.invalidArgument` for a limit below 1.
    public func values<T: Decodable & Sendable>(
        in range: some KeyInterval, as type: T.Type = T.self, limit: Int = 1000, reportsExpiry: Bool = false
    ) throws(StorageError) -> Store.Values<[(key: EntryKey, value: T)]> {
        guard limit > 0 else { throw .invalid("an observation delivers at least 1 entry limit=\(limit)") }
        let range = try range.keyRange
        let changes = try changes(in: range, capacity: 1, reportsExpiry: reportsExpiry)
        return Store.Values(changes, .onThread) { (cancellation) throws(StorageError) in
            var contents: [(key: EntryKey, value: T)] = []
            let cursor = entries(in: range).cursor()
            while contents.count < limit, let entry = try cursor.next() {
                try cancellation.check()
                contents.append((entry.key, try entry.value(as: T.self)))
            }
            return contents
        }
    }

    /// Returns the entries whose keys start with `prefix`, as ``values(in:as:limit:reportsExpiry:)`` does for a range.
    public func values<T: Decodable & Sendable>(
        prefix: some StoreKey, as type: T.Type = T.self, limit: Int = 1000, reportsExpiry: Bool = false
    ) throws(StorageError) -> Store.Values<[(key: EntryKey, value: T)]> {
        try values(
            in: KeyRange.prefix(try prefix.keyBytes), as: T.self, limit: limit, reportsExpiry: reportsExpiry)
    }
}
