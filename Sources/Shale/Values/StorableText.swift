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
        let text = unsafe payload.withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) }
        guard let text else { throw .badPayload(codec, payload.byteCount) }
        self = text
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
