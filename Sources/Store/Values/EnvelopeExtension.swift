import ShaleBase

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
