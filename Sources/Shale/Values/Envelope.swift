import ShaleBase

/// What the store puts around every value that the engine keeps for it. On disk, do not change.
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 1 | codec: ``ValueCodec``; 0 in front of an encrypted payload |
/// | 1 | 1 | flags: bit 0 payload is encrypted (``SealedEnvelope``), bit 1 a header extension follows (not by format 1); others 0 |
/// | 2 | n | payload |
///
/// Purgeability and expiry are the engine's and not repeated here. Unknown codecs and flags are a newer format and never
/// skipped: what can't be decoded is an error, not an absent value.
struct Envelope {
    static let headerBytes = 2
    static let sealedFlag: UInt8 = 1

    let codec: ValueCodec
    /// The payload, as long as the memory that was parsed lives.
    let payload: Bytes

    /// O(1). The codec is not checked here: only whoever decodes has to know it.
    @inline(__always)
    init(_ value: Bytes) throws(StorageError) {
        guard value.count >= Envelope.headerBytes, value[1] == 0, value[0] != 0 else { throw Envelope.failure(value) }
        codec = ValueCodec(rawValue: value[0])
        payload = value.suffix(from: Envelope.headerBytes)
    }

    /// Whether the payload is there for all to read. False for what is no envelope at all.
    @inline(__always)
    static func isPlain(_ value: Bytes) -> Bool { value.count >= headerBytes && value[1] == 0 }

    @inline(never)
    static func failure(_ value: Bytes) -> StorageError {
        guard value.count >= headerBytes else { return .corruption("a stored value has no header") }
        if value[1] == sealedFlag { return StorageError(.cipherMismatch, "the value is encrypted") }
        if value[0] == 0 { return .corruption("a stored value has codec 0") }
        return StorageError(.newerFormat, "a stored value has flags that this version does not know flags=\(value[1])")
    }

    /// Lends `payload` behind its header. On the stack up to about a KiB, in one heap allocation above.
    @inline(__always)
    static func with<R>(
        _ codec: ValueCodec, _ payload: RawSpan, _ body: (RawSpan) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        let count = headerBytes + payload.byteCount
        return try unsafe withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) {
            (buffer) throws(StorageError) -> R in
            guard let start = buffer.baseAddress else { throw .invalid("no memory for a value of \(count) bytes") }
            let target = unsafe MutableBytes(start: start, count: count)
            target.store(codec.rawValue, at: 0)
            target.store(UInt8(0), at: 1)
            unsafe payload.withUnsafeBytes { target.copy(unsafe Bytes($0), at: headerBytes) }
            return try body(unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(buffer)))
        }
    }

    /// Parses the value that an engine lends.
    @inline(__always)
    static func read<R>(
        _ value: RawSpan, _ body: (Envelope) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        try unsafe value.withUnsafeBytes { (buffer) throws(StorageError) in try body(try Envelope(unsafe Bytes(buffer)))
        }
    }
}
