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
        default: throw .unexpected(codec, requested: Double.typeName)
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
        guard codec == .float else { throw .unexpected(codec, requested: Float.typeName) }
        self = Float(bitPattern: try Float.bits(payload, codec, as: UInt32.self))
    }
}
