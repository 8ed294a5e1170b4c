import ShaleBase

/// A change of one key: a value to set, or the removal of the key.
public struct NamespaceChange: Sendable {
    enum Content: Sendable {
        case set(codec: ValueCodec, payload: [UInt8], ValueOptions)
        case remove
    }

    public let key: EntryKey
    let content: Content

    /// Returns the change that sets a value; `nil` removes the key.
    ///
    /// `format` is the format of a `Codable` value; `nil` means the value's own encoding if it has one, otherwise
    /// `defaultFormat`.
    static func set(
        _ value: (some Encodable)?, forKey key: some StoreKey, as format: CodableFormat?,
        default defaultFormat: CodableFormat, _ options: ValueOptions
    ) throws(StorageError) -> NamespaceChange {
        let key = EntryKey(try key.keyBytes)
        guard let value else { return NamespaceChange(key: key, content: .remove) }
        var content = Content.remove
        try EncodedValue.with(value, as: format, default: defaultFormat) { (payload, codec) in
            content = .set(codec: codec, payload: [UInt8](copying: payload), options)
        }
        return NamespaceChange(key: key, content: content)
    }

    /// Returns the change that sets encoded bytes. Throws `.codecFailure` if they are not valid for `codec`.
    static func setPayload(
        _ bytes: [UInt8], codec: ValueCodec, forKey key: some StoreKey, _ options: ValueOptions
    ) throws(StorageError) -> NamespaceChange {
        try ContentCheck.checkForWriting(bytes, codec)
        return NamespaceChange(
            key: EntryKey(try key.keyBytes), content: .set(codec: codec, payload: bytes, options))
    }

    /// Returns the change that removes a key.
    static func remove(_ key: some StoreKey) throws(StorageError) -> NamespaceChange {
        NamespaceChange(key: EntryKey(try key.keyBytes), content: .remove)
    }
}

/// Changes of an ``AsyncNamespace`` that are written together: all of them or none. The last change of a key counts.
public struct NamespaceChanges: Sendable {
    let codableFormat: CodableFormat
    /// The changes in the order in which they were made.
    public private(set) var changes: [NamespaceChange] = []

    init(_ codableFormat: CodableFormat) { self.codableFormat = codableFormat }

    init(_ change: NamespaceChange, _ codableFormat: CodableFormat) {
        self.codableFormat = codableFormat
        changes = [change]
    }

    mutating func add(_ change: NamespaceChange) { changes.append(change) }

    /// Sets a value in its own encoding; `nil` removes the key. See ``AsyncNamespace/set(_:forKey:options:)``.
    @inlinable
    public mutating func set<T: StorableValue>(
        _ value: T?, forKey key: some StoreKey, options: ValueOptions = []
    ) throws(StorageError) {
        guard let value else { return try remove(key) }
        let codec = value.codec
        try key.withKeyBytes { (key) throws(StorageError) in
            try value.withPayload { (payload) throws(StorageError) in append(payload, codec, key, options) }
        }
    }

    @usableFromInline
    mutating func append(_ payload: RawSpan, _ codec: ValueCodec, _ key: RawSpan, _ options: ValueOptions) {
        changes.append(
            NamespaceChange(
                key: EntryKey([UInt8](copying: key)),
                content: .set(codec: codec, payload: [UInt8](copying: payload), options)))
    }

    /// Sets a value; `nil` removes the key. See ``AsyncNamespace/set(_:forKey:as:options:)``.
    public mutating func set<T: Encodable>(
        _ value: T?, forKey key: some StoreKey, as format: CodableFormat? = nil, options: ValueOptions = []
    ) throws(StorageError) {
        changes.append(try .set(value, forKey: key, as: format, default: codableFormat, options))
    }

    /// Sets encoded bytes. See ``AsyncNamespace/setPayload(_:codec:forKey:options:)``.
    public mutating func setPayload(
        _ bytes: [UInt8], codec: ValueCodec, forKey key: some StoreKey, options: ValueOptions = []
    ) throws(StorageError) {
        changes.append(try .setPayload(bytes, codec: codec, forKey: key, options))
    }

    /// Removes the key, if it exists.
    public mutating func remove(_ key: some StoreKey) throws(StorageError) { changes.append(try .remove(key)) }
}
