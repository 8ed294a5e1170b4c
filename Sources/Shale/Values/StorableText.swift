import ShaleBase

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
    /// What the bytes say; `nil` when they are not UTF-8. The library's initialiser that validates takes nearly twice as long as the
    /// one that repairs, which leaves what is valid as it is and nothing else.
    @usableFromInline
    static func text(_ payload: RawSpan) -> String? {
        unsafe payload.withUnsafeBytes { (bytes) -> String? in
            let text = unsafe String(decoding: bytes, as: UTF8.self)
            let isSame = unsafe text.utf8.withContiguousStorageIfAvailable {
                unsafe Bytes(UnsafeRawBufferPointer($0)) == Bytes(bytes)
            }
            return isSame == true ? text : nil
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
