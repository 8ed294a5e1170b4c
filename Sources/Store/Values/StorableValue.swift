/// A type that is stored in an encoding of its own, without an encoder: all integers, `Bool`, `Double`, `Float`,
/// `String`, `Date`, `UUID`, `URL`, `Data` and `[UInt8]`. Other types are stored by being `Codable`.
///
/// What may be read as what, none of which loses anything:
///
/// | stored as | read as |
/// |---|---|
/// | any integer | any integer type that holds the number |
/// | `Float` | `Float`, `Double` |
/// | `Data`, `[UInt8]` | `Data`, `[UInt8]` |
/// | JSON or property list | the type that it decodes to |
/// | every other type | itself |
///
/// Everything else throws `.typeMismatch`. The protocol is for generic code; conforming other types to it is not
/// supported.
public protocol StorableValue: Codable, Sendable {
    /// The encoding of this value.
    var codec: ValueCodec { get }

    /// Lends the encoded payload to `body`. Without allocation for everything of fixed size and for native strings.
    func withPayload(_ body: (RawSpan) throws(StorageError) -> Void) throws(StorageError)

    /// Decodes a payload. Throws `.typeMismatch` when `codec` is not one that this type reads, `.corruption` when the
    /// payload is not one of `codec`.
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

    /// Lends the bits of a number of fixed size as the little-endian payload.
    @inlinable @inline(__always)
    static func withBits<Bits: FixedWidthInteger & BitwiseCopyable>(
        _ bits: Bits, _ body: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) {
        try unsafe withUnsafeBytes(of: bits.littleEndian) { (buffer) throws(StorageError) in
            try body(unsafe RawSpan(_unsafeBytes: buffer))
        }
    }

    /// The bits of a payload of fixed size.
    @inlinable @inline(__always)
    static func bits<Bits: FixedWidthInteger & BitwiseCopyable>(
        _ payload: RawSpan, _ codec: ValueCodec, as type: Bits.Type
    ) throws(StorageError) -> Bits {
        guard payload.byteCount == MemoryLayout<Bits>.size else { throw .badPayload(codec, payload.byteCount) }
        return Bits(littleEndian: unsafe payload.unsafeLoadUnaligned(as: Bits.self))
    }
}
