import ShaleBase

/// A segment's index in memory: separators with their heads for the search, and the raw columns as they were stored.
///
/// A value is a bundle of pointers into memory that ``SegmentTables`` owns. After ``SegmentIndexParser`` made it, every
/// access is in bounds.
@safe
struct SegmentIndex: @unchecked Sendable {
    let raw: Bytes
    let columns: IndexColumns
    let count: Int
    let prefixCount: Int
    /// heads u64[n] | offsets of blocks u64[n + 1] | offsets of separators u32[n + 1].
    let heads: UnsafePointer<UInt64>
    let blockOffsets: UnsafePointer<UInt64>
    let separatorOffsets: UnsafePointer<UInt32>

    @inline(__always)
    private var prefix: Bytes { raw.slice(IndexColumns.headerBytes, prefixCount) }

    @inline(__always)
    func separatorSuffix(_ index: Int) -> Bytes {
        assert(index >= 0 && index < count)
        let from = Int(unsafe separatorOffsets[index])
        return raw.slice(from, Int(unsafe separatorOffsets[index &+ 1]) &- from)
    }

    /// The block that holds the first entry with key ≥ `key`, or is the last before it: the first block whose separator
    /// is ≥ `key`. `count` when every key is below.
    @inline(__always)
    func find(_ key: Bytes) -> Int {
        let prefix = prefix
        guard key.starts(with: prefix) else { return Bytes.compare(key, prefix) <= 0 ? 0 : count }
        let head = key.head(at: prefix.count)
        let low = unsafe Heads.lowerBound(heads, count, head)
        if unsafe low == count || heads[low] != head { return low }
        return findAmongEquals(key.suffix(from: prefix.count), head, from: low)
    }

    @inline(never)
    private func findAmongEquals(_ suffix: Bytes, _ head: UInt64, from: Int) -> Int {
        var low = from
        var high = unsafe Heads.lowerBound(heads, count, head &+ 1)
        while low < high {
            let middle = (low &+ high) &>> 1
            if Bytes.compare(separatorSuffix(middle), suffix) < 0 { low = middle &+ 1 } else { high = middle }
        }
        return low
    }

    /// The namespace of the block's entries, and of its separator.
    func namespace(_ index: Int) -> NamespaceID {
        let key = separator(index)
        return unsafe key.withUnsafeBytes { EncodedKey.namespace(of: unsafe Bytes($0)) }
    }

    func separator(_ index: Int) -> [UInt8] { prefix.array() + separatorSuffix(index).array() }

    /// Where block `index` starts; for `count`, where the data ends.
    @inline(__always)
    func blockOffset(_ index: Int) -> UInt64 { unsafe blockOffsets[index] }

    func storedLength(_ index: Int) -> UInt32 { raw.u32(at: columns.storedLengths + 4 * index) }
    func rawLength(_ index: Int) -> UInt32 { raw.u32(at: columns.rawLengths + 4 * index) }
    func entryCount(_ index: Int) -> UInt32 { raw.u32(at: columns.entryCounts + 4 * index) }
    func codec(_ index: Int) -> StoredCodec {
        StoredCodec(rawValue: (flags(index) & IndexColumns.codecMask) >> IndexColumns.codecShift) ?? .none
    }

    @inline(__always)
    private func flags(_ index: Int) -> UInt8 { raw[columns.flags &+ index] }

    /// The last key of block `index` has more versions in the next one.
    @inline(__always)
    func continues(_ index: Int) -> Bool { flags(index) & IndexColumns.continues != 0 }

    /// One byte for each block: a count over many blocks reads nothing else.
    func hasVersions(inBlocks blocks: Range<Int>) -> Bool {
        blocks.contains { flags($0) & (IndexColumns.hasVersions | IndexColumns.continues) != 0 }
    }

    func handle(_ index: Int) -> BlockHandle {
        BlockHandle(
            offset: blockOffset(index), storedLength: storedLength(index), rawLength: rawLength(index))
    }

    func statistics(_ index: Int) -> BlockStatistics {
        var row = BlockStatistics()
        row.entryCount = entryCount(index)
        row.deleteCount = raw.u32(at: columns.deleteCounts + 4 * index)
        row.purgeableCount = raw.u32(at: columns.purgeableCounts + 4 * index)
        row.expirableCount = raw.u32(at: columns.expirableCounts + 4 * index)
        row.dataBytes = raw.u32(at: columns.dataBytes + 4 * index)
        row.purgeableDataBytes = raw.u32(at: columns.purgeableDataBytes + 4 * index)
        row.minSequence = raw.u64(at: columns.minSequences + 8 * index)
        row.maxSequence = raw.u64(at: columns.maxSequences + 8 * index)
        row.maxPurgeableSequence = raw.u64(at: columns.maxPurgeableSequences + 8 * index)
        row.minExpiry = raw.i64(at: columns.minExpiries + 8 * index)
        row.maxExpiry = raw.i64(at: columns.maxExpiries + 8 * index)
        row.hasVersions = flags(index) & IndexColumns.hasVersions != 0
        return row
    }

    func row(_ index: Int) -> IndexRow {
        IndexRow(
            handle: handle(index), codec: codec(index), statistics: statistics(index), continues: continues(index))
    }
}
