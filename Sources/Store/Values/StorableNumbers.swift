/// All integers share two codecs: ``ValueCodec/int`` for numbers that fit into `Int64`, ``ValueCodec/unsigned`` above.
/// A number can therefore be read as any integer type that holds it.
extension StorableValue where Self: FixedWidthInteger {
    @inlinable
    public var codec: ValueCodec { Int64(exactly: self) == nil ? .unsigned : .int }

    @inlinable
    public func withPayload(_ body: (RawSpan) throws(StorageError) -> Void) throws(StorageError) {
        // Two's complement: the low 64 bits are the number under either codec.
        try Self.withBits(UInt64(truncatingIfNeeded: self), body)
    }

    @inlinable
    public init(payload: RawSpan, codec: ValueCodec) throws(StorageError) {
        let number: Self?
        switch codec {
        case .int: number = Self(exactly: Int64(bitPattern: try Self.bits(payload, codec, as: UInt64.self)))
        case .unsigned: number = Self(exactly: try Self.bits(payload, codec, as: UInt64.self))
        default: throw .unexpected(codec, requested: Self.typeName)
        }
        guard let number else { throw .typeMismatch(stored: "\(codec) out of its range", requested: Self.typeName) }
        self = number
    }
}

extension Int: StorableValue {}
extension Int8: StorableValue {}
extension Int16: StorableValue {}
extension Int32: StorableValue {}
extension Int64: StorableValue {}
extension UInt: StorableValue {}
extension UInt8: StorableValue {}
extension UInt16: StorableValue {}
extension UInt32: StorableValue {}
extension UInt64: StorableValue {}

extension Bool: StorableValue {
    @inlinable
    public var codec: ValueCodec { .bool }

    @inlinable
    public func withPayload(_ body: (RawSpan) throws(StorageError) -> Void) throws(StorageError) {
        try Bool.withBits(self ? 1 : 0 as UInt8, body)
    }

    @inlinable
    public init(payload: RawSpan, codec: ValueCodec) throws(StorageError) {
        guard codec == .bool else { throw .unexpected(codec, requested: Bool.typeName) }
        switch try Bool.bits(payload, codec, as: UInt8.self) {
        case 0: self = false
        case 1: self = true
        default: throw .badPayload(codec, payload.byteCount)
        }
    }
}

extension Double: StorableValue {
    @inlinable
    public var codec: ValueCodec { .double }

    @inlinable
    public func withPayload(_ body: (RawSpan) throws(StorageError) -> Void) throws(StorageError) {
        try Double.withBits(bitPattern, body)
    }

    @inlinable
    public init(payload: RawSpan, codec: ValueCodec) throws(StorageError) {
        switch codec {
        case .double: self = Double(bitPattern: try Double.bits(payload, codec, as: UInt64.self))
        case .float: self = Double(Float(bitPattern: try Double.bits(payload, codec, as: UInt32.self)))
        default: self = try Double.integer(payload, codec)
        }
    }
}

extension Float: StorableValue {
    @inlinable
    public var codec: ValueCodec { .float }

    @inlinable
    public func withPayload(_ body: (RawSpan) throws(StorageError) -> Void) throws(StorageError) {
        try Float.withBits(bitPattern, body)
    }

    @inlinable
    public init(payload: RawSpan, codec: ValueCodec) throws(StorageError) {
        guard codec == .float else {
            self = try Float.integer(payload, codec)
            return
        }
        self = Float(bitPattern: try Float.bits(payload, codec, as: UInt32.self))
    }
}

extension StorableValue where Self: BinaryFloatingPoint {
    /// Returns a stored integer. Throws `.typeMismatch` unless this type represents it exactly.
    @usableFromInline @inline(never)
    static func integer(_ payload: RawSpan, _ codec: ValueCodec) throws(StorageError) -> Self {
        let number: Self?
        switch codec {
        case .int: number = Self(exactly: Int64(bitPattern: try bits(payload, codec, as: UInt64.self)))
        case .unsigned: number = Self(exactly: try bits(payload, codec, as: UInt64.self))
        default: throw .unexpected(codec, requested: typeName)
        }
        guard let number else {
            throw .typeMismatch(stored: "\(codec) with more digits than it has", requested: typeName)
        }
        return number
    }
}
