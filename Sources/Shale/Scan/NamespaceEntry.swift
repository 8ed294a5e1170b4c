import ShaleBase

/// An entry that a scan found, copied. Its value is decoded when it is asked for.
public struct NamespaceEntry: Sendable {
    public let key: EntryKey
    private let stored: [UInt8]
    private let entryInfo: EntryInfo

    init(_ key: RawSpan, _ value: RawSpan, _ info: EntryInfo) {
        self.key = EntryKey([UInt8](copying: key))
        stored = [UInt8](copying: value)
        entryInfo = info
    }

    /// The value as a type that has an encoding of its own. Errors as for ``Namespace/value(forKey:as:)``.
    public func value<T: StorableValue>(as type: T.Type = T.self) throws(StorageError) -> T {
        try unsafe EncodedValue.decode(T.self, stored.span.bytes)
    }

    /// The value, decoded from the format that it was stored in.
    public func value<T: Decodable>(as type: T.Type = T.self) throws(StorageError) -> T {
        try unsafe EncodedValue.decode(T.self, stored.span.bytes)
    }

    /// The value as it was stored.
    public func object() throws(StorageError) -> StoredValue { try unsafe EncodedValue.object(stored.span.bytes) }

    /// What is known of the entry without decoding its value.
    public func info() throws(StorageError) -> ValueInfo {
        try unsafe Envelope.read(stored.span.bytes) { (envelope) in ValueInfo(envelope, entryInfo) }
    }
}
