import ShaleBase
import ShaleValues

extension DataBlock {
    /// Builds offsets and heads beside the raw block in ``rawTarget(count:rawLength:)``, and checks every count,
    /// length, kind and the order of keys.
    ///
    /// Afterwards every access is in bounds, and searches are correct.
    ///
    /// - Complexity: O(entries).
    func parse(count: Int, rawLength: Int) throws(ParseFailure) {
        let target = rawTarget(count: count, rawLength: rawLength)
        target.zero(rawLength, DataBlock.slackBytes)
        let raw = target.bytes.slice(0, rawLength)
        let rawOffset = unsafe raw.start - UnsafeRawPointer(header)
        var parser = try DataBlockParser(raw, expectedCount: count)
        let fields = parser.fields
        unsafe header.pointee.count = UInt32(count)
        unsafe header.pointee.rowsOffset = UInt32(DataBlock.headsOffset + 8 * count)
        let rows = unsafe MutableBytes(
            start: UnsafeMutableRawPointer(header) + DataBlock.headsOffset + 8 * count, count: 8 * (count + 1))
        let heads = unsafe MutableBytes(
            start: UnsafeMutableRawPointer(header) + DataBlock.headsOffset, count: 8 * count)
        try parser.fillRows(rows)
        unsafe header.pointee.hasVersions = fields.flags & DataBlockFormat.hasVersions != 0
        unsafe header.pointee.kindStride = fields.hasOneKind ? 0 : 1
        unsafe header.pointee.sequenceWidth = UInt8(fields.width)
        unsafe header.pointee.sequenceMaskShift = UInt8(64 - 8 * max(1, fields.width))
        unsafe header.pointee.sequenceBase = fields.base
        unsafe header.pointee.prefixCount = UInt32(fields.prefixCount)
        unsafe header.pointee.prefixOffset = UInt32(place(prefix: raw, fields.prefixCount, rawOffset))
        // Columns with a single value point into the header's cache line.
        unsafe header.pointee.oneKind = raw[parser.kindsOffset]
        unsafe header.pointee.kindsOffset = UInt32(
            fields.hasOneKind ? DataBlockHeader.oneKindOffset : rawOffset + parser.kindsOffset)
        unsafe header.pointee.sequencesOffset = UInt32(
            fields.width == 0 ? DataBlockHeader.zeroOffset : rawOffset + parser.sequencesOffset)
        unsafe header.pointee.expiryStride = fields.hasExpiries ? 8 : 0
        unsafe header.pointee.expiriesOffset = UInt32(
            fields.hasExpiries ? rawOffset + parser.expiriesOffset : DataBlockHeader.zeroOffset)
        unsafe header.pointee.suffixesOffset = UInt32(rawOffset + parser.suffixesOffset)
        unsafe header.pointee.valuesOffset = UInt32(rawOffset + parser.valuesOffset)
        unsafe links.pointee.suffixCountMax = UInt32(parser.suffixCountMax)
        try fillHeads(heads)
        fillSamples()
        try checkTrailers()
    }

    /// Copies a short prefix next to the header's cache line. Returns the offset of the prefix.
    private func place(prefix raw: Bytes, _ length: Int, _ rawOffset: Int) -> Int {
        guard length <= DataBlock.prefixCopyBytes else { return rawOffset + DataBlockFormat.headerBytes }
        unsafe MutableBytes(start: UnsafeMutableRawPointer(header) + DataBlock.prefixCopyOffset, count: length)
            .copy(raw.slice(DataBlockFormat.headerBytes, length), at: 0)
        return DataBlock.prefixCopyOffset
    }

    /// Samples the last head of each sixteenth. A group without entries gets a head above every searched one.
    private func fillSamples() {
        let samples = unsafe MutableBytes(
            start: UnsafeMutableRawPointer(header) + DataBlock.samplesOffset, count: 8 * DataBlock.sampleCount)
        let groupLength = (count + DataBlock.sampleCount - 1) / DataBlock.sampleCount
        unsafe header.pointee.groupLength = UInt32(groupLength)
        for group in 0..<DataBlock.sampleCount {
            let start = group &* groupLength
            let last = min(start &+ groupLength, count) &- 1
            samples.store(start < count ? unsafe heads[last] : UInt64(Int64.max), at: 8 &* group)
        }
    }

    /// Computes the heads of the key suffixes and checks that entries are ordered.
    private func fillHeads(_ heads: MutableBytes) throws(ParseFailure) {
        // If every head is above the one before, no key has two versions.
        let foundVersions = fillAscending(heads) ? false : try checkOrder()
        guard foundVersions == hasVersions else { throw ParseFailure("a data block's version flag is wrong") }
    }

    /// Computes the heads. Returns true if every head is above the one before.
    private func fillAscending(_ heads: MutableBytes) -> Bool {
        // Columns in registers: every store of a head could change the header for all that the compiler knows.
        let columns = columns
        var previous: UInt64 = 0
        // The top bit stays set as long as heads, which have 63 bits, rise.
        var differences = UInt64.max
        for i in 0..<count {
            let suffix = columns.suffix(i)
            // Loads whole words, into the slack if necessary, and cuts them to the suffix.
            let word = unsafe UInt64(bigEndian: suffix.start.loadUnaligned(as: UInt64.self))
            let head = KeyHeads.cut(word, to: suffix.count)
            heads.store(head, at: 8 &* i)
            if i > 0 { differences &= previous &- head }
            previous = head
        }
        return differences &>> 63 == 1
    }

    /// Checks that entries are ordered. Returns true if a key has more than one version.
    private func checkOrder() throws(ParseFailure) -> Bool {
        var foundVersions = false
        for i in 1..<count {
            let (previous, head) = unsafe (heads[i &- 1], heads[i])
            if head > previous { continue }
            let order = head < previous ? 1 : Bytes.compare(suffix(i &- 1), suffix(i))
            guard order <= 0 else { throw ParseFailure("a data block's keys are out of order") }
            if order < 0 { continue }
            foundVersions = true
            guard trailer(i &- 1).rawValue > trailer(i).rawValue else {
                throw ParseFailure("a data block's versions are out of order")
            }
        }
        return foundVersions
    }

    /// Checks kinds, sequences and expiries.
    private func checkTrailers() throws(ParseFailure) {
        guard kindsFit else { throw ParseFailure("a data block has an unknown kind of entry") }
        let base = unsafe header.pointee.sequenceBase
        guard base <= Trailer.sequenceMax, widestSequence <= Trailer.sequenceMax - base else {
            throw ParseFailure("a data block has a sequence out of bounds")
        }
    }

    /// True if every kind is known and fits its entry's value and expiry.
    private var kindsFit: Bool {
        let columns = columns
        let hasExpiries = unsafe header.pointee.expiryStride != 0
        if unsafe header.pointee.kindStride == 0, !hasExpiries {
            // The usual block: what holds for one entry holds for all, and values are empty if they are together.
            let kind = columns.trailer(0).kind
            if kind.isReference, !(0..<count).allSatisfy({ DataBlock.isReference(columns.value($0)) }) { return false }
            return kind.isKnown && !kind.hasExpiry && (!kind.isDelete || columns.valueBytes(before: count) == 0)
        }
        var violations = 0
        for i in 0..<count {
            let kind = columns.trailer(i).kind
            if !kind.isKnown { violations &+= 1 }
            if !kind.hasExpiry, columns.expiry(i) != 0 { violations &+= 1 }
            if kind.isDelete, !columns.value(i).isEmpty { violations &+= 1 }
            if kind.hasExpiry, !hasExpiries { violations &+= 1 }
            if kind.isReference, !DataBlock.isReference(columns.value(i)) { violations &+= 1 }
        }
        return violations == 0
    }

    /// True if `value` is a reference to a value file, with a place within bounds.
    private static func isReference(_ value: Bytes) -> Bool {
        do throws(ParseFailure) {
            _ = try ValueReference(decoding: value)
            return true
        } catch {
            return false
        }
    }

    /// The largest distance of a sequence from the block's base.
    private var widestSequence: UInt64 {
        let base = unsafe header.pointee.sequenceBase
        guard unsafe header.pointee.sequenceWidth > 0 else { return 0 }
        let columns = columns
        return (0..<count).reduce(0) { max($0, columns.sequence($1) &- base) }
    }
}
