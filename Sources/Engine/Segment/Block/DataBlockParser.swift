import ShaleBase

/// The fixed header of a raw data block. On disk, do not change: DESIGN.md, "Data block".
enum DataBlockFormat {
    /// Count u32, shared prefix length u16, flags u8, sequence width u8, base sequence u64.
    static let headerBytes = 16

    static let fixedKeyLength: UInt8 = 1
    static let fixedValueLength: UInt8 = 2
    static let oneKind: UInt8 = 4
    static let oneSequence: UInt8 = 8
    static let hasExpiries: UInt8 = 16
    static let wideValueLengths: UInt8 = 32
    static let hasVersions: UInt8 = 64
    static let knownFlags: UInt8 = 127

    /// Returns the narrowest of the widths 0, 1, 2, 4 and 7 bytes that holds `spread`.
    static func sequenceWidth(_ spread: UInt64) -> Int {
        if spread == 0 { return 0 }
        if spread <= 0xff { return 1 }
        if spread <= 0xffff { return 2 }
        return spread <= 0xffff_ffff ? 4 : 7
    }
}

/// The fields with which a raw data block and a key part begin.
struct DataBlockFields {
    let count: Int
    let prefixCount: Int
    let flags: UInt8
    /// The width of the sequence column in bytes.
    let width: Int
    let base: SequenceNumber

    /// Reads and checks the first ``DataBlockFormat/headerBytes`` of `bytes`. The prefix may be longer than `bytes`.
    init(_ bytes: Bytes, expectedCount: Int) throws(ParseFailure) {
        guard bytes.count >= DataBlockFormat.headerBytes else { throw ParseFailure("a data block is cut short") }
        count = Int(bytes.u32(at: 0))
        prefixCount = Int(bytes.u16(at: 4))
        flags = bytes[6]
        width = Int(bytes[7])
        base = bytes.u64(at: 8)
        guard count == expectedCount, count >= 1 else {
            throw ParseFailure("a data block's entry count differs from the index")
        }
        guard flags & ~DataBlockFormat.knownFlags == 0, [0, 1, 2, 4, 7].contains(width),
            (width == 0) == (flags & DataBlockFormat.oneSequence != 0)
        else { throw ParseFailure("a data block's header is invalid") }
        guard prefixCount >= EncodedKey.namespaceWidth, prefixCount <= SegmentFormat.encodedKeyBytesMax else {
            throw ParseFailure("a data block's prefix length is invalid")
        }
    }

    var hasFixedKeys: Bool { flags & DataBlockFormat.fixedKeyLength != 0 }
    var hasFixedValues: Bool { flags & DataBlockFormat.fixedValueLength != 0 }
    var hasWideValues: Bool { flags & DataBlockFormat.wideValueLengths != 0 }
    var hasOneKind: Bool { flags & DataBlockFormat.oneKind != 0 }
    var hasExpiries: Bool { flags & DataBlockFormat.hasExpiries != 0 }

    /// The sizes of the columns in bytes.
    var keyLengthBytes: Int { hasFixedKeys ? 2 : 2 * count }
    var valueLengthBytes: Int { hasFixedValues ? 4 : (hasWideValues ? 4 : 2) * count }
    var kindBytes: Int { hasOneKind ? 1 : count }
    var sequenceBytes: Int { width * count }
    var expiryBytes: Int { hasExpiries ? 8 * count : 0 }
}

/// Parses the fixed part of a raw data block, locates its columns and turns lengths into offsets. Checks that the parts
/// together are exactly the block.
struct DataBlockParser {
    private let raw: Bytes
    let fields: DataBlockFields
    let valueLengthsOffset: Int
    let kindsOffset: Int
    let sequencesOffset: Int
    let expiriesOffset: Int
    let suffixesOffset: Int
    private(set) var valuesOffset = 0
    private(set) var suffixCountMax = 0
    private let keyLengthsOffset: Int

    init(_ raw: Bytes, expectedCount: Int) throws(ParseFailure) {
        self.raw = raw
        fields = try DataBlockFields(raw, expectedCount: expectedCount)
        keyLengthsOffset = DataBlockFormat.headerBytes + fields.prefixCount
        valueLengthsOffset = keyLengthsOffset + fields.keyLengthBytes
        kindsOffset = valueLengthsOffset + fields.valueLengthBytes
        sequencesOffset = kindsOffset + fields.kindBytes
        expiriesOffset = sequencesOffset + fields.sequenceBytes
        suffixesOffset = expiriesOffset + fields.expiryBytes
        guard suffixesOffset <= raw.count else { throw ParseFailure("a data block's columns are cut short") }
    }

    /// Fills `rows` with (key offset, value offset) pairs, and checks the sums before any offset is used.
    mutating func fillRows(_ rows: MutableBytes) throws(ParseFailure) {
        let hasFixedLengths = fields.hasFixedKeys && fields.hasFixedValues
        let (keyBytes, valueBytes) = hasFixedLengths ? fillFixedRows(rows) : fillVaryingRows(rows)
        guard suffixesOffset &+ keyBytes &+ valueBytes == raw.count else {
            throw ParseFailure("a data block's parts don't add up to its length")
        }
        guard suffixCountMax &+ fields.prefixCount <= SegmentFormat.encodedKeyBytesMax else {
            throw ParseFailure("a data block's key is too long")
        }
        valuesOffset = suffixesOffset &+ keyBytes
    }

    /// Fills the rows of entries of one length. Returns the sums of the lengths of keys and values.
    private mutating func fillFixedRows(_ rows: MutableBytes) -> (keyBytes: Int, valueBytes: Int) {
        let count = fields.count
        let keyLength = Int(raw.u16(at: keyLengthsOffset))
        let valueLength = Int(raw.u32(at: valueLengthsOffset))
        suffixCountMax = keyLength
        // Both offsets grow in one word. If the lower half overflows, the sums are larger than any block.
        let step = UInt64(valueLength) &<< 32 | UInt64(keyLength)
        var row: UInt64 = 0
        for i in 0...count {
            rows.store(row, at: 8 &* i)
            row &+= step
        }
        return (count &* keyLength, count &* valueLength)
    }

    /// Fills the rows of entries whose keys or values differ in length. Returns the sums of their lengths.
    private mutating func fillVaryingRows(_ rows: MutableBytes) -> (keyBytes: Int, valueBytes: Int) {
        let count = fields.count
        let isFixedKey = fields.hasFixedKeys
        let isFixedValue = fields.hasFixedValues
        let isWide = fields.hasWideValues
        let fixedKey = Int(raw.u16(at: keyLengthsOffset))
        let fixedValue = isFixedValue ? Int(raw.u32(at: valueLengthsOffset)) : 0
        var keyOffset = 0
        var valueOffset = 0
        var longest = 0
        for i in 0..<count {
            rows.store(UInt32(truncatingIfNeeded: keyOffset), at: 8 &* i)
            rows.store(UInt32(truncatingIfNeeded: valueOffset), at: 8 &* i &+ 4)
            let keyLength = isFixedKey ? fixedKey : Int(raw.u16(at: keyLengthsOffset &+ 2 &* i))
            longest = max(longest, keyLength)
            keyOffset &+= keyLength
            valueOffset &+=
                isFixedValue
                ? fixedValue
                : isWide
                    ? Int(raw.u32(at: valueLengthsOffset &+ 4 &* i)) : Int(raw.u16(at: valueLengthsOffset &+ 2 &* i))
        }
        rows.store(UInt32(truncatingIfNeeded: keyOffset), at: 8 &* count)
        rows.store(UInt32(truncatingIfNeeded: valueOffset), at: 8 &* count &+ 4)
        suffixCountMax = longest
        return (keyOffset, valueOffset)
    }
}
