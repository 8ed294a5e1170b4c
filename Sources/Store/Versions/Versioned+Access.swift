public import ShaleBase

/// Typed keys of values with versions.
extension Key {
    /// Makes a key for values with versions.
    public convenience init(
        _ name: String, default defaultValue: Value, using codec: VersionedCodec<Value>, options: ValueOptions = []
    ) where Value: Codable {
        self.init(name, defaultValue, options, .versioned(codec))
    }

    /// Makes a key for optional values with versions.
    public convenience init<Wrapped: Codable & Sendable>(
        _ name: String, using codec: VersionedCodec<Wrapped>, options: ValueOptions = []
    ) where Value == Wrapped? {
        self.init(name, nil, options, .optional(.versioned(codec)))
    }
}

extension KeyCoding where Value: Codable {
    static func versioned(_ codec: VersionedCodec<Value>) -> KeyCoding {
        KeyCoding { (value) throws(StorageError) in
            try EncodedValue.decode(codec, value)
        } read: { (reader, key) throws(StorageError) in
            try reader.value(forKey: key, using: codec)
        } withPayload: { (value, standard, body) throws(StorageError) in
            try codec.withPayload(value, standard, body)
            return true
        }
    }
}

extension NamespaceReader {
    /// Returns the value of `key` in the codec's current version; `nil` if the key is missing.
    ///
    /// - Throws: `.newerFormat` if the stored version is newer than the codec; `.codecFailure` if the value does not
    ///   decode or migrate, or has a version before ``VersionedCodec/first``; `.typeMismatch` if another type is
    ///   stored; `.corruption` if the value is damaged. Also the errors of ``value(forKey:as:)``.
    /// - Complexity: O(value), and the migrations from the stored version on.
    public func value<Value>(
        forKey key: some StoreKey, using codec: VersionedCodec<Value>
    ) throws(StorageError) -> Value? {
        var found: VersionedDocument?
        try key.withKeyBytes { (key) throws(StorageError) in
            try readPayload(key) { (payload, stored) throws(StorageError) in
                found = try VersionedDocument(payload, stored)
            }
        }
        guard let found else { return nil }
        return try codec.decode(found)
    }

    /// Returns the values of several keys in the codec's current version, in the order of the keys; `nil` for each
    /// missing key. All of them are of one moment. Throws the errors of ``value(forKey:using:)``.
    public func values<Value>(
        forKeys keys: some Sequence<some StoreKey>, using codec: VersionedCodec<Value>
    ) throws(StorageError) -> [Value?] {
        var values: [Value?] = []
        let documents = try self.values(keys) { (payload, stored) throws(StorageError) in
            try VersionedDocument(payload, stored)
        }
        for document in documents {
            values.append(try document.map { (document) throws(StorageError) in try codec.decode(document) })
        }
        return values
    }
}

extension Store.Entry {
    /// Returns the value in the codec's current version. Throws the errors of
    /// ``NamespaceReader/value(forKey:using:)``.
    public func value<Value>(using codec: VersionedCodec<Value>) throws(StorageError) -> Value {
        let document = try read { (value) throws(StorageError) in try VersionedDocument(envelope: value) }
        return try codec.decode(document)
    }
}

extension Store.Namespace {
    /// Stores a value in the codec's current version; `nil` removes the key.
    ///
    /// - Throws: The errors of ``set(_:forKey:as:options:durability:)``.
    public func set<Value>(
        _ value: Value?, forKey key: some StoreKey, using codec: VersionedCodec<Value>, options: ValueOptions = [],
        durability: Durability? = nil
    ) throws(StorageError) {
        guard let value else { return try remove(key, durability: durability) }
        try key.withKeyBytes { (key) throws(StorageError) in
            try codec.withPayload(value, state.core.options.codableFormat) { (payload, stored) throws(StorageError) in
                try put(payload, stored, key, options, durability)
            }
        }
    }

    /// Reads a value in the codec's current version, lets `body` change it and writes it in that version, in one atomic
    /// step.
    ///
    /// An unchanged value is also written, so `update` makes the migration of one key permanent. Expiry, flags and
    /// repeated calls of `body` are as in ``update(forKey:as:default:format:options:durability:_:)``.
    @discardableResult
    public func update<Value, R>(
        forKey key: some StoreKey, using codec: VersionedCodec<Value>, default defaultValue: Value,
        options: ValueOptions = [], durability: Durability? = nil, _ body: (inout Value) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        let update = EntryUpdate(self, .versioned(codec), defaultValue, [], options)
        return try changing(
            durability,
            { (transaction) throws(StorageError) in try transaction.update(update, key, body) { $0 } }, { $0 })
    }
}

extension Store.Batch {
    /// Sets a value in the codec's current version; `nil` removes the key. See
    /// ``Store/Namespace/set(_:forKey:using:options:durability:)``.
    public mutating func set<Value>(
        _ value: Value?, forKey key: some StoreKey, in namespace: Store.Namespace, using codec: VersionedCodec<Value>,
        options: ValueOptions = []
    ) throws(StorageError) {
        guard let value else { return try remove(key, in: namespace) }
        let format = namespace.state.core.options.codableFormat
        try key.withKeyBytes { (key) throws(StorageError) in
            try codec.withPayload(value, format) { (payload, stored) throws(StorageError) in
                try put(payload, stored, key, namespace, options)
            }
        }
    }
}

extension Store.Transaction {
    /// Sets a value in the codec's current version; `nil` removes the key. See
    /// ``Store/Namespace/set(_:forKey:using:options:durability:)``.
    public func set<Value>(
        _ value: Value?, forKey key: some StoreKey, in namespace: Store.Namespace, using codec: VersionedCodec<Value>,
        options: ValueOptions = []
    ) throws(StorageError) {
        guard let value else { return try remove(key, in: namespace) }
        try codec.withPayload(value, core.options.codableFormat) { (payload, stored) throws(StorageError) in
            try put(payload, stored, key, namespace, options)
        }
    }
}
