import ShaleBase

/// A copy of an entry that a scan found. Its value is decoded on access.
public struct NamespaceEntry: Sendable {
    public let key: EntryKey
    private let stored: [UInt8]
    private let entryInfo: EntryInfo
    private let codecs: CodecTable
    /// The namespace whose keys decrypt the value; `nil` if the value is not encrypted.
    private let sealedIn: (state: NamespaceState, id: NamespaceID)?

    init(_ cursor: borrowing Cursor, _ state: NamespaceState, _ id: NamespaceID) {
        key = EntryKey([UInt8](copying: cursor.key))
        let stored = [UInt8](copying: cursor.value)
        self.stored = stored
        entryInfo = cursor.info
        codecs = state.core.codecs
        let isPlain = unsafe stored.withUnsafeBytes { Envelope.isPlain(unsafe Bytes($0)) }
        sealedIn = isPlain ? nil : (state, id)
    }

    /// Passes the envelope, decrypted if necessary, to `body`.
    private func read<R>(_ body: (RawSpan) throws(StorageError) -> R) throws(StorageError) -> R {
        guard let (state, id) = sealedIn else { return try unsafe body(stored.span.bytes) }
        let plain = try unsafe state.opened(stored.span.bytes, key.bytes.span.bytes, id, entryInfo)
        return try unsafe body(plain.span.bytes)
    }

    /// Returns the value as a type that has an encoding of its own. Throws the errors of
    /// ``Namespace/value(forKey:as:)``.
    public func value<T: StorableValue>(as type: T.Type = T.self) throws(StorageError) -> T {
        try read { (value) throws(StorageError) in try EncodedValue.decode(T.self, value) }
    }

    /// Returns the value, decoded from the format that it was stored in.
    public func value<T: Decodable>(as type: T.Type = T.self) throws(StorageError) -> T {
        try read { (value) throws(StorageError) in try EncodedValue.decode(T.self, value) }
    }

    /// Returns the value in the form in which it was stored.
    public func object() throws(StorageError) -> StoredValue {
        try read { (value) throws(StorageError) in try EncodedValue.object(value, codecs) }
    }

    /// Returns what is known of the entry without decoding its value.
    public func info() throws(StorageError) -> ValueInfo {
        try unsafe ValueInfo(stored.span.bytes, entryInfo)
    }
}
