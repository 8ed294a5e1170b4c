import ShaleBase

/// Validates a raw index and builds the search structure beside it.
enum SegmentIndexParser {
    /// Returns the size of the memory that ``parse(_:into:)`` needs for this number of blocks.
    static func bytesNeeded(blockCount: Int) -> Int { 8 * blockCount + 8 * (blockCount + 1) + 4 * (blockCount + 1) }

    /// Returns the block count, after checking it against the length of `raw`.
    static func blockCount(_ raw: Bytes) throws(ParseFailure) -> Int {
        guard raw.count >= IndexColumns.headerBytes else { throw ParseFailure("the index is cut short") }
        let count = Int(raw.u32(at: 0))
        guard count >= 1, count <= raw.count / IndexColumns.bytesPerBlock else {
            throw ParseFailure("the index's block count contradicts its length")
        }
        return count
    }

    /// Parses an index of format 1 or, if `isSplit`, of format 2. Both pieces of memory must outlive the result.
    static func parse(_ raw: Bytes, isSplit: Bool, into memory: MutableBytes) throws(ParseFailure) -> SegmentIndex {
        let count = try blockCount(raw)
        let prefixCount = Int(raw.u16(at: 4))
        let columns = IndexColumns(blockCount: count, prefixCount: prefixCount, isSplit: isSplit)
        guard raw.u16(at: 6) == 0, columns.separators <= raw.count else {
            throw ParseFailure("the index's header is invalid")
        }
        let blockOffsetsAt = 8 * count
        let separatorOffsetsAt = blockOffsetsAt + 8 * (count + 1)
        var separatorOffset = columns.separators
        var blockOffset: UInt64 = 0
        for i in 0..<count {
            memory.store(blockOffset, at: blockOffsetsAt + 8 * i)
            memory.store(UInt32(separatorOffset), at: separatorOffsetsAt + 4 * i)
            separatorOffset += Int(raw.u16(at: columns.separatorLengths + 2 * i))
            guard separatorOffset <= raw.count else { throw ParseFailure("the index's separators are cut short") }
            blockOffset += UInt64(raw.u32(at: columns.storedLengths + 4 * i)) + UInt64(SegmentFormat.blockTrailerBytes)
        }
        memory.store(blockOffset, at: blockOffsetsAt + 8 * count)
        memory.store(UInt32(separatorOffset), at: separatorOffsetsAt + 4 * count)
        guard separatorOffset == raw.count else { throw ParseFailure("the index's parts don't add up to its length") }
        let index = unsafe SegmentIndex(
            raw: raw, columns: columns, count: count, prefixCount: prefixCount,
            heads: UnsafePointer(memory.start.assumingMemoryBound(to: UInt64.self)),
            blockOffsets: UnsafePointer((memory.start + blockOffsetsAt).assumingMemoryBound(to: UInt64.self)),
            separatorOffsets: UnsafePointer((memory.start + separatorOffsetsAt).assumingMemoryBound(to: UInt32.self)))
        try checkSeparators(index, into: memory)
        for i in 0..<count { try checkRow(index, i) }
        return index
    }

    /// Fills the heads and checks that separators ascend. Equal separators are valid for a key whose versions continue
    /// in the next block.
    private static func checkSeparators(_ index: SegmentIndex, into memory: MutableBytes) throws(ParseFailure) {
        for i in 0..<index.count {
            let suffix = index.separatorSuffix(i)
            guard index.prefixCount + suffix.count <= SegmentFormat.encodedKeyBytesMax,
                index.prefixCount + suffix.count >= EncodedKey.namespaceWidth
            else { throw ParseFailure("the index has a separator of an invalid length") }
            memory.store(suffix.head(at: 0), at: 8 * i)
            guard i > 0 else { continue }
            let order = Bytes.compare(index.separatorSuffix(i - 1), suffix)
            guard order < 0 || (order == 0 && index.continues(i - 1)) else {
                throw ParseFailure("the index's separators are out of order")
            }
        }
    }

    private static func checkRow(_ index: SegmentIndex, _ i: Int) throws(ParseFailure) {
        let flags = index.raw[index.columns.flags + i]
        let known = IndexColumns.knownFlags(isSplit: index.columns.keyPartLengths != nil)
        guard flags & ~known == 0, let codec = IndexColumns.codec(flags) else {
            throw ParseFailure("the index has unknown flags")
        }
        let keyPartLength = index.keyPartLength(i)
        let isSplitValid =
            keyPartLength == 0
            ? codec != .valueCode
            : keyPartLength <= index.storedLength(i) && index.entryCount(i) <= SplitBlockFormat.entriesMax
        guard isSplitValid else { throw ParseFailure("the index has a key part out of bounds") }
        let row = index.statistics(i)
        let limit = SegmentFormat.rawBlockBytesMax
        guard index.rawLength(i) <= limit, index.storedLength(i) <= limit, row.entryCount >= 1,
            row.entryCount <= index.rawLength(i), row.entryCount <= SegmentFormat.blockEntriesMax
        else { throw ParseFailure("the index has a block length out of bounds") }
        guard row.deleteCount <= row.entryCount, row.purgeableCount <= row.entryCount - row.deleteCount,
            row.expirableCount <= row.entryCount - row.deleteCount, row.purgeableDataBytes <= row.dataBytes,
            row.minSequence <= row.maxSequence, row.maxSequence <= Trailer.sequenceMax,
            row.maxPurgeableSequence <= row.maxSequence, row.minExpiry <= row.maxExpiry
        else { throw ParseFailure("the index's counts contradict each other") }
    }
}
