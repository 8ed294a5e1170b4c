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
