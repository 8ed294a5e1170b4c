import ShaleBase

/// An entry that was found in an ``AsyncNamespace``. Its value is decoded on access.
public struct AsyncEntry: Sendable {
    public let key: EntryKey
    /// The properties that are known without decoding the value.
    public let info: ValueInfo
    /// The envelope of the value, not encrypted.
    private let envelope: [UInt8]
    private let codecs: CodecTable

    init(key: [UInt8], envelope: [UInt8], info: ValueInfo, codecs: CodecTable) {
        self.key = EntryKey(key)
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
