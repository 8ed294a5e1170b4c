import ShaleBase

extension AsyncNamespace {
    /// Returns the value of `key`, of a type with an encoding of its own; `nil` if the key is missing. Otherwise as the
    /// other `value`.
    public nonisolated(nonsending) func value<T: StorableValue>(
        forKey key: some StoreKey, as type: T.Type = T.self
    ) async throws(StorageError) -> T? {
        guard let entry = try await entry(forKey: key) else { return nil }
        return try entry.value(as: T.self)
    }

    /// Returns the value of `key`, decoded from the encoding in which it was stored; `nil` if the key is missing.
    ///
    /// - Throws: `.typeMismatch` if another type is stored (`StorableValue` lists the conversions); `.codecFailure` if
    ///   the value does not decode to the type; the errors of ``entry(forKey:)``. An error never turns into `nil`.
    public nonisolated(nonsending) func value<T: Decodable>(
        forKey key: some StoreKey, as type: T.Type = T.self
    ) async throws(StorageError) -> T? {
        guard let entry = try await entry(forKey: key) else { return nil }
        return try entry.value(as: T.self)
    }

    /// Returns the value of `key`; `defaultValue` if the key is missing. Throws the errors of ``value(forKey:as:)``.
    public nonisolated(nonsending) func value<T: Decodable>(
        forKey key: some StoreKey, default defaultValue: @autoclosure () -> T
    ) async throws(StorageError) -> T {
        try await value(forKey: key, as: T.self) ?? defaultValue()
    }

    /// Returns the values of several keys in the order of `keys`; `nil` for each missing key. Throws the errors of
    /// ``value(forKey:as:)``; the first one ends the call.
    public nonisolated(nonsending) func values<T: Decodable>(
        forKeys keys: [some StoreKey], as type: T.Type = T.self
    ) async throws(StorageError) -> [T?] {
        var names: [EntryKey] = []
        for key in keys { names.append(EntryKey(try key.keyBytes)) }
        var values: [T?] = []
        for entry in try await entries(forKeys: names) {
            values.append(try entry.map { (entry) throws(StorageError) in try entry.value(as: T.self) })
        }
        return values
    }

    /// Returns the value of `key` in the form in which it was stored; `nil` if the key is missing.
    public nonisolated(nonsending) func object(
        forKey key: some StoreKey
    ) async throws(StorageError) -> StoredValue? {
        guard let entry = try await entry(forKey: key) else { return nil }
        return try entry.object()
    }

    /// Returns the encoded bytes of the value of `key`, with their codec; `nil` if the key is missing. They are not
    /// decoded, so their codec need not be known.
    public nonisolated(nonsending) func payload(
        forKey key: some StoreKey
    ) async throws(StorageError) -> (codec: ValueCodec, bytes: [UInt8])? {
        guard let entry = try await entry(forKey: key) else { return nil }
        return try entry.payload()
    }

    /// Returns what is known of the entry of `key` without decoding its value; `nil` if the key is missing.
    public nonisolated(nonsending) func info(forKey key: some StoreKey) async throws(StorageError) -> ValueInfo? {
        try await entry(forKey: key)?.info
    }

    /// Returns true if `key` exists.
    public nonisolated(nonsending) func contains(_ key: some StoreKey) async throws(StorageError) -> Bool {
        try await entry(forKey: key) != nil
    }

    /// Stores a value in its own encoding; `nil` removes the key. Throws the errors of ``write(_:)``.
    public nonisolated(nonsending) func set<T: StorableValue>(
        _ value: T?, forKey key: some StoreKey, options: ValueOptions = []
    ) async throws(StorageError) {
        var changes = NamespaceChanges(codableFormat)
        try changes.set(value, forKey: key, options: options)
        try await write(changes)
    }

    /// Stores a value; `nil` removes the key.
    ///
    /// A type with an encoding of its own (`StorableValue`) is stored in that, unless `format` names another; other
    /// types are stored as `format`, or ``codableFormat`` if that is `nil`.
    ///
    /// - Throws: `.codecFailure` if the value can't be encoded, with nothing written; the errors of ``write(_:)``.
    public nonisolated(nonsending) func set<T: Encodable>(
        _ value: T?, forKey key: some StoreKey, as format: CodableFormat? = nil, options: ValueOptions = []
    ) async throws(StorageError) {
        try await write(one: try .set(value, forKey: key, as: format, default: codableFormat, options))
    }

    /// Removes the key. A literal `nil` selects this overload.
    public nonisolated(nonsending) func set(_ value: Never?, forKey key: some StoreKey) async throws(StorageError) {
        try await remove(key)
    }

    /// Stores bytes that ``payload(forKey:)`` returned, or that are encoded as `codec` says.
    ///
    /// - Throws: With nothing written, `.codecFailure` if the bytes are not valid for `codec`, `.newerFormat` if this
    ///   version does not know it; the errors of ``write(_:)``.
    public nonisolated(nonsending) func setPayload(
        _ bytes: [UInt8], codec: ValueCodec, forKey key: some StoreKey, options: ValueOptions = []
    ) async throws(StorageError) {
        try await write(one: try .setPayload(bytes, codec: codec, forKey: key, options))
    }

    /// Removes the key, if it exists. Throws the errors of ``write(_:)``.
    public nonisolated(nonsending) func remove(_ key: some StoreKey) async throws(StorageError) {
        try await write(one: try .remove(key))
    }

    private nonisolated(nonsending) func write(one change: NamespaceChange) async throws(StorageError) {
        try await write(NamespaceChanges(change, codableFormat))
    }

    /// Writes the changes that `body` makes together: all of them or none.
    ///
    /// ```swift
    /// try await carts.write { (changes) throws(StorageError) in
    ///     try changes.set(item, forKey: "u1/items/7")
    ///     try changes.set(total, forKey: "u1/total")
    /// }
    /// ```
    /// On a cluster the keys must be of one partition (``ClusterPartitioning``), or the call throws `.unsupported`.
    public nonisolated(nonsending) func write(
        _ body: (inout NamespaceChanges) throws(StorageError) -> Void
    ) async throws(StorageError) {
        var changes = NamespaceChanges(codableFormat)
        try body(&changes)
        try await write(changes)
    }

    /// Sets `key` to `value` in one atomic step if its current value is `expected`. `nil` stands for a missing key on
    /// either side.
    ///
    /// - Returns: True if the value was set; false if nothing was written.
    /// - Throws: The errors of getting and setting. A stored value that is no `T` throws; it does not merely count as
    ///   unequal.
    public nonisolated(nonsending) func compareAndSet<T: Codable & Equatable>(
        _ value: T?, forKey key: some StoreKey, expecting expected: T?, options: ValueOptions = []
    ) async throws(StorageError) -> Bool {
        let format = codableFormat
        return try await update(forKey: key) { (entry) throws(StorageError) -> EntryUpdate in
            let current = try entry.map { (entry) throws(StorageError) in try entry.value(as: T.self) }
            guard current == expected else { return .keep }
            guard let value else { return .remove }
            return try .set(value, as: format, options: options)
        }
    }

    /// All entries, in bytewise order of their keys.
    public var entries: Entries { entries(in: KeyRange.all) }

    /// The entries whose keys start with `prefix`.
    public func entries(prefix: some StoreKey) -> Entries {
        do throws(StorageError) {
            return entries(in: KeyRange.prefix(try prefix.keyBytes))
        } catch {
            // The scan reports the key that can't be read.
            return entries(in: FailedInterval(error: error))
        }
    }
}

/// A range whose bound could not be read.
private struct FailedInterval: KeyInterval {
    let error: StorageError

    var keyRange: KeyRange {
        get throws(StorageError) { throw error }
    }
}
