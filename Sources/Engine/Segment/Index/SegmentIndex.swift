import ShaleBase

/// A segment's index in memory: separators with their heads for the search, and the raw columns as stored.
///
/// A value is a set of pointers into memory that ``SegmentTables`` owns. ``SegmentIndexParser`` makes it, after which
/// every access is in bounds.
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

    /// Returns the first block whose separator is ≥ `key`; `count` if every separator is below.
    ///
    /// The block holds the first entry with key ≥ `key`, or is the last block before that entry.
    @inline(__always)
    func find(_ key: Bytes) -> Int {
        let prefix = prefix
        guard key.starts(with: prefix) else { return Bytes.compare(key, prefix) <= 0 ? 0 : count }
        let head = key.head(at: prefix.count)
        let low = unsafe KeyHeads.lowerBound(heads, count, head)
        if unsafe low == count || heads[low] != head { return low }
        return findAmongEquals(key.suffix(from: prefix.count), head, from: low)
    }

    @inline(never)
    private func findAmongEquals(_ suffix: Bytes, _ head: UInt64, from: Int) -> Int {
        var low = from
        var high = unsafe KeyHeads.lowerBound(heads, count, head &+ 1)
        while low < high {
            let middle = (low &+ high) &>> 1
            if Bytes.compare(separatorSuffix(middle), suffix) < 0 { low = middle &+ 1 } else { high = middle }
        }
        return low
    }

    /// Returns the namespace of the block's entries, which is also that of its separator.
    func namespace(_ index: Int) -> NamespaceID {
        let key = separator(index)
        return unsafe key.withUnsafeBytes { EncodedKey.namespace(of: unsafe Bytes($0)) }
    }

    func separator(_ index: Int) -> [UInt8] { prefix.array() + separatorSuffix(index).array() }

    /// Returns the offset of block `index`; for `count`, the end of the data.
    @inline(__always)
    func blockOffset(_ index: Int) -> UInt64 { unsafe blockOffsets[index] }

    func storedLength(_ index: Int) -> UInt32 { raw.u32(at: columns.storedLengths + 4 * index) }
    func rawLength(_ index: Int) -> UInt32 { raw.u32(at: columns.rawLengths + 4 * index) }
    func entryCount(_ index: Int) -> UInt32 { raw.u32(at: columns.entryCounts + 4 * index) }
    func codec(_ index: Int) -> StoredCodec { IndexColumns.codec(flags(index)) ?? .none }

    /// Returns the length of a block's key part; 0 if the block is not split.
    @inline(__always)
    func keyPartLength(_ index: Int) -> UInt32 { columns.keyPartLengths.map { raw.u32(at: $0 &+ 4 &* index) } ?? 0 }

    @inline(__always)
    private func flags(_ index: Int) -> UInt8 { raw[columns.flags &+ index] }

    /// Returns true if the next block holds further versions of block `index`'s last key.
    @inline(__always)
    func continues(_ index: Int) -> Bool { flags(index) & IndexColumns.continues != 0 }

    /// Returns true if any of the blocks has more than one version of a key. Reads one byte per block.
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
            handle: handle(index), codec: codec(index), statistics: statistics(index), continues: continues(index),
            keyPartLength: keyPartLength(index))
    }
}
