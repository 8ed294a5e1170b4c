import ShaleBase

/// What some envelopes hold between header and payload. On disk, do not change: length u16 of what follows, then fields
/// tag u8 | length u8 | bytes, tags ascending: 1 time of writing (i64 milliseconds since 1970). Unknown tags with bit 7 set
/// are skipped, others are a newer format.
struct EnvelopeExtension {
    private static let writeTimeTag: UInt8 = 1
    private static let skippableBit: UInt8 = 0x80
    private static let lengthBytes = 2
    /// The bytes of one that holds a time of writing only.
    static let writeTimeBytes = 12

    /// All of it, with its length.
    let bytes: Bytes
    private(set) var writtenAt: Int64?

    /// Of an envelope with the flag, encrypted or not.
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

    /// When the value in an envelope, encrypted or not, was written; `nil` when it does not say.
    static func writtenAt(_ envelope: Bytes) throws(StorageError) -> Int64? {
        guard envelope.count >= Envelope.headerBytes, envelope[1] & Envelope.extendedFlag != 0 else { return nil }
        return try EnvelopeExtension(of: envelope).writtenAt
    }

    /// Fills `target`, ``writeTimeBytes`` long.
    static func store(_ writtenAt: Int64, in target: MutableBytes) {
        target.store(UInt16(writeTimeBytes - lengthBytes), at: 0)
        target.store(writeTimeTag, at: 2)
        target.store(UInt8(8), at: 3)
        target.store(writtenAt, at: 4)
    }
}
