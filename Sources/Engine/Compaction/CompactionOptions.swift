package import ShaleSegment

/// The shape of the tree. Bounds are checked when the engine opens.
package struct CompactionOptions: Sendable {
    /// L0 segments at which they are compacted into the base level if they are as large as what they would rewrite there …
    package var l0Trigger = 4
    /// … and at which they are whatever that costs.
    package var l0TriggerMax = 8
    /// Each level may be this many times larger than the one above it.
    package var fanOut: UInt64 = 10
    /// The base level is the first whose share of the tree is below this many stored bytes; it may grow to it.
    package var baseLevelBytes: UInt64 = 256 << 20
    /// Where outputs are cut, in stored bytes: above the last level, and there. Upper segments are smaller so
    /// that a job that moves one of them down is short, because it blocks L0 while it runs.
    package var upperSegmentBytes: UInt64 = 8 << 20
    package var lastSegmentBytes: UInt64 = 32 << 20
    /// A job reads at most about this many segments' worth of stored bytes, unless correctness needs more.
    package var jobSegmentsMax: UInt64 = 25
    /// A move is refused when it would leave a segment above more than this many segments of the next level.
    package var moveOverlapMax = 10
    /// A segment is rewritten when this share of its bytes is erased or expired …
    package var erasedShareMin = 0.3
    /// … and they are at least this many.
    package var erasedBytesMin: UInt64 = 1 << 20
    /// A segment above the last level is compacted when this share of its entries are deletes.
    package var tombstoneShareMin = 0.5

    package var blockBytes = 16 * 1024
    package var upperCodec = BlockCodec.lz4
    package var lastCodec = BlockCodec.zstd(level: 1)
    /// Whether zstd gets a dictionary for each namespace where that helps, …
    package var trainsDictionaries = true
    /// … and the data bytes of a namespace in one job from which it is looked at.
    package var dictionaryDataBytesMin: UInt64 = 4 << 20
    /// Bits per key by level, L0 first; the last one is for the last level (see DESIGN.md, "Filters").
    package var filterBits = [16, 16, 16, 14, 12, 10, 8]

    /// Whether blocks are only copied from segments that say that they were compressed with the same codec and level.
    package var copiesOnlySameLevel = false

    /// A merge is cut into at most so many ranges of keys, each of at least a segment of the last level: more than threads, so
    /// that all threads are busy until the end; …
    package var ranges = 1
    /// … of which so many are done at once.
    package var threads = 1

    /// What jobs are charged to.
    package var budget: MemoryBudget?

    package init() {}

    package func writerOptions(level: Int, isLast: Bool) -> SegmentWriterOptions {
        SegmentWriterOptions(
            blockBytes: blockBytes, codec: isLast ? lastCodec : upperCodec, filterBitsPerKey: filterBits[level])
    }

    package func segmentBytes(isLast: Bool) -> UInt64 { isLast ? lastSegmentBytes : upperSegmentBytes }

    /// Makes what a range of so many stored bytes is written to equally large, so that it does not end with a small segment: many
    /// ranges would leave many of them. Outputs are smaller than their inputs at most times, hence the small margin.
    mutating func evenOutputs(ofBytes bytes: UInt64, isLast: Bool) {
        let size = isLast ? \CompactionOptions.lastSegmentBytes : \.upperSegmentBytes
        let count = max(1, (bytes + self[keyPath: size] - 1) / self[keyPath: size])
        self[keyPath: size] = min(self[keyPath: size], max(1, bytes / count + bytes / count / 16))
    }
}
