import ShaleBase

/// An entry that was found in an ``AsyncNamespace``. Its key is copied and its value decoded on access.
///
/// An entry of a scan on a cluster shares the memory of its page with the others, and one that was read beside others
/// that of the answer: in most cases at most 1 MiB, which is kept as long as one of them.
public struct AsyncEntry: Sendable {
    /// The key.
    ///
    /// - Complexity: O(bytes).
    public var key: EntryKey { EntryKey(Array(keyBytes)) }
    /// The properties that are known without decoding the value.
    public let info: ValueInfo
    private let keyBytes: ArraySlice<UInt8>
    /// The envelope of the value, not encrypted.
    private let envelope: ArraySlice<UInt8>
    private let codecs: CodecTable

    init(key: ArraySlice<UInt8>, envelope: ArraySlice<UInt8>, info: ValueInfo, codecs: CodecTable) {
        keyBytes = key
        self.info = info
        self.envelope = envelope
        self.codecs = codecs
    }

    /// Returns the value of a type with an encoding of its own. Otherwise as the other `value`.
    public func value<T: StorableValue>(as type: T.Type = T.self) throws(StorageError) -> T {
        try unsafe EncodedValue.decode(T.self, envelope.span.bytes)
    }

    /// Returns the value, decoded from the encoding in which it was stored. `StorableValue` lists the conversions.
    ///
    /// - Throws: `.typeMismatch` if another type is stored; `.codecFailure` if the value does not decode to the type;
    ///   `.corruption` and `.newerFormat`.
    public func value<T: Decodable>(as type: T.Type = T.self) throws(StorageError) -> T {
        try unsafe EncodedValue.decode(T.self, envelope.span.bytes)
    }

    /// Returns the value in the form in which it was stored.
    public func object() throws(StorageError) -> StoredValue {
        try unsafe EncodedValue.object(envelope.span.bytes, codecs)
    }

    /// Returns the encoded bytes of the value, with their codec. They are not decoded.
    public func payload() throws(StorageError) -> (codec: ValueCodec, bytes: [UInt8]) {
        try unsafe EncodedValue.payload(envelope.span.bytes)
    }
}
