/// A type that is stored in an encoding of its own, without an encoder: all integers, `Bool`, `Double`, `Float`,
/// `String`, `Date`, `UUID`, `URL`, `Data` and `[UInt8]`.
///
/// Other types are stored through `Codable`.
///
/// These conversions are possible; none of them loses information:
///
/// | stored as | read as |
/// |---|---|
/// | any integer | any integer type that holds the number |
/// | `Float` | `Float`, `Double` |
/// | `Data`, `[UInt8]` | `Data`, `[UInt8]` |
/// | JSON or property list | any type that it decodes to |
/// | every other type | itself |
///
/// Every other combination throws `.typeMismatch`. The protocol is for generic code; don't conform other types to it.
public protocol StorableValue: Codable, Sendable {
    /// The encoding of this value.
    var codec: ValueCodec { get }

    /// Passes the encoded payload to `body`. Needs no allocation for encodings of fixed size and for native strings.
    func withPayload(_ body: (RawSpan) throws(StorageError) -> Void) throws(StorageError)

    /// Decodes a payload.
    ///
    /// - Throws: `.typeMismatch` if this type can't be read from `codec`; `.corruption` if the payload is not valid for
    ///   `codec`.
    init(payload: RawSpan, codec: ValueCodec) throws(StorageError)
}

extension StorableValue {
    /// Decodes a payload of any codec that the type can be read from.
    @inlinable @inline(__always)
    static func decode(_ payload: RawSpan, _ codec: ValueCodec) throws(StorageError) -> Self {
        if codec.isDocument { return try decodeDocument(payload, codec) }
        return try Self(payload: payload, codec: codec)
    }

    @usableFromInline
    static func decodeDocument(_ payload: RawSpan, _ codec: ValueCodec) throws(StorageError) -> Self {
        try CodableCoder.decode(Self.self, payload, codec)
    }

    /// The name of the type in error messages.
    @usableFromInline
    static var typeName: String { String(describing: Self.self) }

    /// Passes the bits of a number of fixed size, as the little-endian payload, to `body`.
    @inlinable @inline(__always)
    static func withBits<Bits: FixedWidthInteger & BitwiseCopyable>(
        _ bits: Bits, _ body: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) {
        try unsafe withUnsafeBytes(of: bits.littleEndian) { (buffer) throws(StorageError) in
            try body(unsafe RawSpan(_unsafeBytes: buffer))
        }
    }

    /// Returns the bits of a payload of fixed size.
    @inlinable @inline(__always)
    static func bits<Bits: FixedWidthInteger & BitwiseCopyable>(
        _ payload: RawSpan, _ codec: ValueCodec, as type: Bits.Type
    ) throws(StorageError) -> Bits {
        guard payload.byteCount == MemoryLayout<Bits>.size else { throw .badPayload(codec, payload.byteCount) }
        return Bits(littleEndian: unsafe payload.unsafeLoadUnaligned(as: Bits.self))
    }
}
