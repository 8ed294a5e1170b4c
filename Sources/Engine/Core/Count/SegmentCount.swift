import ShaleBase
import ShaleManifest
import ShaleSegment

/// Counts the keys of a range that a read point sees in one segment, as if there were no other.
///
/// A block inside the range with one version of each key is counted by its row in the index. Other blocks are read,
/// neighbours in one walk. All versions of a key are in one segment of a level (``Version``). If a key's versions
/// continue in the next block, both blocks are undecided, so that one walk sees all of them.
struct SegmentCount {
    let segment: Segment
    let slice: SliceRecord
    let rule: CountRule
    let headOffset: Int

    func count(from lower: Bytes, below upper: Bytes) throws(StorageError) -> Int {
        let blocks = Int(slice.firstBlock)..<Int(slice.firstBlock + slice.blockCount)
        let first = max(blocks.lowerBound, try segment.findBlock(lower))
        // The separators of earlier blocks are below the range's end, and so are their keys.
        let last = try segment.findBlock(upper)
        let isWhole = startsInside(blocks.lowerBound, lower) && blocks.upperBound <= last
        if isWhole, let count = rule.visibleCount(EntryStatistics(slice)), try !segment.hasVersions(inBlocks: blocks) {
            return count
        }
        var total = 0
        var undecided: Range<Int>?
        for block in first..<max(first, min(blocks.upperBound, last + 1)) {
            let isInside = block < last && (block > first || startsInside(block, lower))
            if isInside, let count = try decidedCount(block) {
                if let range = undecided.take() { total += try walk(range, first, lower, upper) }
                total += count
            } else {
                undecided = (undecided?.lowerBound ?? block)..<(block + 1)
            }
        }
        if let range = undecided { total += try walk(range, first, lower, upper) }
        return total
    }

    /// True if all keys of the slice from `block` on are known, without reading, to be at least `lower`.
    private func startsInside(_ block: Int, _ lower: Bytes) -> Bool {
        block == Int(slice.firstBlock)
            && (lower.count == EncodedKey.namespaceWidth || (block == 0 && lower <= segment.smallestKey))
    }

    private func decidedCount(_ block: Int) throws(StorageError) -> Int? {
        let row = try segment.indexRow(block)
        let beginsWithinKey = try segment.beginsWithinKey(block)
        if row.statistics.hasVersions || row.continues || beginsWithinKey { return nil }
        return rule.visibleCount(EntryStatistics(row.statistics))
    }

    /// Counts the keys in neighbouring blocks by reading them. `first` is the range's first block.
    private func walk(
        _ blocks: Range<Int>, _ first: Int, _ lower: Bytes, _ upper: Bytes
    ) throws(StorageError) -> Int {
        let merge = MergingCursor([EntryCursor(segment, headOffset: headOffset, options: CountScan.options)])
        var start = ByteBuffer()
        if blocks.lowerBound == first {
            start.append(lower)
        } else {
            start.append(try segment.separator(blocks.lowerBound - 1))
            start.append(UInt8(0))
        }
        var end = ByteBuffer()
        end.append(try segment.separator(blocks.upperBound - 1))
        end.append(UInt8(0))
        var scan = CountScan(merge, rule.readPoint.sequence)
        merge.setBounds(headOffset: headOffset, limit: end.bytes < upper ? end.bytes : upper)
        try merge.seek(start.bytes, .forward)
        var count = 0
        while let entry = try scan.next() {
            if rule.isPresent(entry.trailer, expiry: entry.expiry) { count += 1 }
        }
        return count
    }
}
