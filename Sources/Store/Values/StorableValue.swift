import ShaleBase

/// A type that is stored in an encoding of its own, without an encoder: all integers, `Bool`, `Double`, `Float`,
/// `String`, `Date`, `UUID`, `URL`, `Data` and `[UInt8]`.
///
/// Other types are stored through `Codable`.
///
/// These conversions are possible; none of them loses information:
///
/// | stored as | read as |
/// |---|---|
/// | any integer | any integer type that holds the number; `Double` and `Float` if they represent it exactly |
/// | `Float` | `Float`, `Double` |
/// | `Data`, `[UInt8]` | `Data`, `[UInt8]` |
/// | every other type of these | itself |
/// | any of these | a `Codable` type that decodes from one such value, such as an enum with raw values |
/// | JSON or property list | any type that it decodes to; an enum also reads as its raw value |
///
/// Every other combination throws `.typeMismatch`, and so does a raw value that stands for no case. The protocol is for
/// generic code; don't conform other types to it.
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

extension String: StorableValue {
    @inlinable
    public var codec: ValueCodec { .string }

    @inlinable
    public func withPayload(_ body: (RawSpan) throws(StorageError) -> Void) throws(StorageError) {
        try withBytes(body)
    }

    @inlinable
    public init(payload: RawSpan, codec: ValueCodec) throws(StorageError) {
        guard codec == .string else { throw .unexpected(codec, requested: String.typeName) }
        guard let text = String.text(payload) else { throw .badPayload(codec, payload.byteCount) }
        self = text
    }
}

extension String {
    /// True if bytes are valid UTF-8.
    static func isText(_ payload: RawSpan) -> Bool {
        unsafe payload.withUnsafeBytes { (bytes) -> Bool in
            guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
                return unsafe String(validating: bytes, as: UTF8.self) != nil
            }
            do {
                _ = try UTF8Span(
                    validating: unsafe Span(_unsafeElements: bytes.assumingMemoryBound(to: UInt8.self)))
                return true
            } catch {
                return false
            }
        }
    }

    /// Returns the text of UTF-8 bytes; `nil` if they are not valid. Validates in place and then copies, which takes as
    /// long as copying an array. Older systems lack this function; their initializer takes twice as long.
    @usableFromInline
    static func text(_ payload: RawSpan) -> String? {
        unsafe payload.withUnsafeBytes { (bytes) -> String? in
            guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
                return unsafe String(validating: bytes, as: UTF8.self)
            }
            do {
                return String(
                    copying: try UTF8Span(
                        validating: unsafe Span(_unsafeElements: bytes.assumingMemoryBound(to: UInt8.self))))
            } catch {
                return nil
            }
        }
    }
}

extension [UInt8]: StorableValue {
    @inlinable
    public var codec: ValueCodec { .data }

    @inlinable
    public func withPayload(_ body: (RawSpan) throws(StorageError) -> Void) throws(StorageError) {
        try unsafe body(span.bytes)
    }

    @inlinable
    public init(payload: RawSpan, codec: ValueCodec) throws(StorageError) {
        guard codec == .data else { throw .unexpected(codec, requested: "[UInt8]") }
        self.init(copying: payload)
    }
}
