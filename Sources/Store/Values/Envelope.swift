import ShaleBase

/// The header and payload that the store keeps in the engine for every value. On disk, do not change.
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 1 | codec: ``ValueCodec``; 0 before an encrypted payload |
/// | 1 | 1 | flags: bit 0 payload is encrypted (``SealedEnvelope``), bit 1 a header extension follows; others 0 |
/// | 2 | n | ``EnvelopeExtension``, if flagged |
/// | … | rest | payload |
///
/// The engine stores purgeability and expiry, so the envelope does not repeat them. An unknown codec or flag means a
/// newer format. Readers never skip it: a value that can't be decoded is an error, not an absent value.
struct Envelope {
    static let headerBytes = 2
    static let sealedFlag: UInt8 = 1
    static let extendedFlag: UInt8 = 2

    let codec: ValueCodec
    /// The payload. Valid as long as the parsed memory.
    let payload: Bytes

    /// Parses an envelope, O(1). The codec is not checked here, because only decoding needs to know it.
    @inline(__always)
    init(_ value: Bytes) throws(StorageError) {
        guard value.count >= Envelope.headerBytes, value[1] == 0, value[0] != 0 else {
            self = try Envelope.extended(value)
            return
        }
        codec = ValueCodec(rawValue: value[0])
        payload = value.suffix(from: Envelope.headerBytes)
    }

    init(codec: ValueCodec, payload: Bytes) {
        self.codec = codec
        self.payload = payload
    }

    /// Parses the rarer form with an extension.
    @inline(never)
    private static func extended(_ value: Bytes) throws(StorageError) -> Envelope {
        guard value.count >= headerBytes, value[1] == extendedFlag, value[0] != 0 else { throw failure(value) }
        let start = headerBytes + (try EnvelopeExtension(of: value)).bytes.count
        return Envelope(codec: ValueCodec(rawValue: value[0]), payload: value.suffix(from: start))
    }

    /// True if the payload is not encrypted. False for bytes that are no envelope.
    @inline(__always)
    static func isPlain(_ value: Bytes) -> Bool { value.count >= headerBytes && value[1] & sealedFlag == 0 }

    /// True if the header of an envelope has no extension, or one with the known fields only. Such a header, encrypted
    /// or not, has at most 64 bytes, with the nonce.
    static func isShort(_ value: Bytes) -> Bool {
        guard value.count >= headerBytes + EnvelopeExtension.writeTimeBytes else { return false }
        return value[1] & extendedFlag == 0 || Int(value.u16(at: headerBytes)) + 2 == EnvelopeExtension.writeTimeBytes
    }

    @inline(never)
    static func failure(_ value: Bytes) -> StorageError {
        guard value.count >= headerBytes else { return .corruption("a stored value has no header") }
        if value[1] & ~extendedFlag == sealedFlag { return StorageError(.cipherMismatch, "the value is encrypted") }
        if value[0] == 0 { return .corruption("a stored value has codec 0") }
        return StorageError(.newerFormat, "a stored value has flags that this version does not know flags=\(value[1])")
    }

    /// Passes the envelope of `payload` to `body`; its header holds the time of writing if `writtenAt` is given. Up to
    /// about 1 KiB the envelope is on the stack, above that in one heap allocation.
    @inline(__always)
    static func with<R>(
        _ codec: ValueCodec, _ payload: RawSpan, writtenAt: Int64? = nil,
        _ body: (RawSpan) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        let start = headerBytes + (writtenAt == nil ? 0 : EnvelopeExtension.writeTimeBytes)
        let count = start + payload.byteCount
        return try unsafe withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) {
            (buffer) throws(StorageError) -> R in
            guard let memory = buffer.baseAddress else { throw .invalid("no memory for a value of \(count) bytes") }
            let target = unsafe MutableBytes(start: memory, count: count)
            target.store(codec.rawValue, at: 0)
            target.store(writtenAt == nil ? 0 : extendedFlag, at: 1)
            if let writtenAt { EnvelopeExtension.store(writtenAt, in: target.slice(headerBytes, start - headerBytes)) }
            unsafe payload.withUnsafeBytes { target.copy(unsafe Bytes($0), at: start) }
            return try body(unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(buffer)))
        }
    }

    /// Parses a value in the engine's memory and passes its envelope to `body`.
    @inline(__always)
    static func read<R>(
        _ value: RawSpan, _ body: (Envelope) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        try unsafe value.withUnsafeBytes { (buffer) throws(StorageError) in try body(try Envelope(unsafe Bytes(buffer)))
        }
    }
}

/// The optional extension between an envelope's header and payload. On disk, do not change: u16 length of the rest,
/// then fields tag u8 | length u8 | bytes with ascending tags: 1 time of writing (i64 milliseconds since 1970). Readers
/// skip unknown tags with bit 7 set; any other unknown tag means a newer format.
struct EnvelopeExtension {
    private static let writeTimeTag: UInt8 = 1
    private static let skippableBit: UInt8 = 0x80
    private static let lengthBytes = 2
    /// The size of an extension that holds only a time of writing.
    static let writeTimeBytes = 12

    /// The whole extension with its length.
    let bytes: Bytes
    private(set) var writtenAt: Int64?

    /// Parses the extension of an envelope that has the flag, encrypted or not.
    init(of envelope: Bytes) throws(StorageError) {
        var isKnown = true
        do throws(ParseFailure) {
            var reader = ByteReader(envelope.suffix(from: Envelope.headerBytes))
            let count = Int(try reader.u16("the extension's length"))
            var fields = ByteReader(try reader.slice(count, "the extension"))
            bytes = envelope.slice(Envelope.headerBytes, EnvelopeExtension.lengthBytes + count)
            while !fields.isAtEnd {
                let tag = try fields.u8("a tag")
                var field = ByteReader(try fields.slice(Int(try fields.u8("a length")), "a field"))
                switch tag {
                case EnvelopeExtension.writeTimeTag: writtenAt = try field.i64("the time of writing")
                case EnvelopeExtension.skippableBit...: continue
                default: isKnown = false
                }
                guard field.isAtEnd || !isKnown else { throw ParseFailure("a field is too long") }
            }
        } catch {
            throw .corruption("the header of a stored value is not valid: \(error.reason)")
        }
        guard isKnown else {
            throw StorageError(.newerFormat, "a stored value has a header that this version does not know")
        }
    }

    /// Returns the time of writing of the value in an envelope, encrypted or not; `nil` if it is not stored.
    static func writtenAt(_ envelope: Bytes) throws(StorageError) -> Int64? {
        guard envelope.count >= Envelope.headerBytes, envelope[1] & Envelope.extendedFlag != 0 else { return nil }
        return try EnvelopeExtension(of: envelope).writtenAt
    }

    /// Writes an extension to `target`, which has ``writeTimeBytes`` bytes.
    static func store(_ writtenAt: Int64, in target: MutableBytes) {
        target.store(UInt16(writeTimeBytes - lengthBytes), at: 0)
        target.store(writeTimeTag, at: 2)
        target.store(UInt8(8), at: 3)
        target.store(writtenAt, at: 4)
    }
}
