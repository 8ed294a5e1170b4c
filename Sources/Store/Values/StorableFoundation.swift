#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Data: StorableValue {
    @inlinable
    public var codec: ValueCodec { .data }

    @inlinable
    public func withPayload(_ body: (RawSpan) throws(StorageError) -> Void) throws(StorageError) {
        try body(bytes)
    }

    @inlinable
    public init(payload: RawSpan, codec: ValueCodec) throws(StorageError) {
        guard codec == .data else { throw .unexpected(codec, requested: Data.typeName) }
        self.init(copying: payload)
    }

    @inlinable
    init(copying span: RawSpan) {
        self = unsafe span.withUnsafeBytes { unsafe Data($0) }
    }
}

extension Date: StorableValue {
    @inlinable
    public var codec: ValueCodec { .date }

    @inlinable
    public func withPayload(_ body: (RawSpan) throws(StorageError) -> Void) throws(StorageError) {
        let seconds = timeIntervalSinceReferenceDate
        guard !seconds.isNaN else { throw .dateIsNoNumber() }
        try Date.withBits(seconds.bitPattern, body)
    }

    @inlinable
    public init(payload: RawSpan, codec: ValueCodec) throws(StorageError) {
        guard codec == .date else { throw .unexpected(codec, requested: Date.typeName) }
        let seconds = Double(bitPattern: try Date.bits(payload, codec, as: UInt64.self))
        // Shale never stores NaN as a date: Foundation ends the process when it describes one.
        guard !seconds.isNaN else { throw .badPayload(codec, payload.byteCount) }
        self.init(timeIntervalSinceReferenceDate: seconds)
    }
}

extension UUID: StorableValue {
    @inlinable
    public var codec: ValueCodec { .uuid }

    @inlinable
    public func withPayload(_ body: (RawSpan) throws(StorageError) -> Void) throws(StorageError) {
        try unsafe withUnsafeBytes(of: uuid) { (buffer) throws(StorageError) in
            try body(unsafe RawSpan(_unsafeBytes: buffer))
        }
    }

    @inlinable
    public init(payload: RawSpan, codec: ValueCodec) throws(StorageError) {
        guard codec == .uuid else { throw .unexpected(codec, requested: UUID.typeName) }
        guard payload.byteCount == MemoryLayout<uuid_t>.size else { throw .badPayload(codec, payload.byteCount) }
        self.init(uuid: unsafe payload.unsafeLoadUnaligned(as: uuid_t.self))
    }
}

extension URL: StorableValue {
    @inlinable
    public var codec: ValueCodec { .url }

    /// Passes the absolute string to `body`. A relative URL is resolved against its base; the base is not stored.
    @inlinable
    public func withPayload(_ body: (RawSpan) throws(StorageError) -> Void) throws(StorageError) {
        try absoluteString.withBytes(body)
    }

    @inlinable
    public init(payload: RawSpan, codec: ValueCodec) throws(StorageError) {
        guard codec == .url else { throw .unexpected(codec, requested: URL.typeName) }
        let text = unsafe payload.withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) }
        guard let text, let url = URL(string: text) else { throw .badPayload(codec, payload.byteCount) }
        self = url
    }
}
