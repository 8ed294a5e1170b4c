package import ShaleSegment

/// The parameters of the tree's shape. The engine checks their bounds when it opens.
package struct CompactionOptions: Sendable {
    /// The number of L0 segments from which they are compacted if they are as large as their overlap in the base level.
    package var l0Trigger = 4
    /// The number of L0 segments from which they are compacted at any cost.
    package var l0TriggerMax = 8
    /// The permitted ratio of the sizes of adjacent levels.
    package var fanOut: UInt64 = 10
    /// The share of the tree, in stored bytes, below which a level becomes the base level. The level may grow to this
    /// size.
    package var baseLevelBytes: UInt64 = 256 << 20
    /// The stored bytes at which outputs are cut, above the last level and in it. Upper segments are smaller, so that a
    /// job that moves one of them down is short: it blocks L0 while it runs.
    package var upperSegmentBytes: UInt64 = 8 << 20
    package var lastSegmentBytes: UInt64 = 32 << 20
    /// The most stored bytes that a job reads, in segments of the last level, unless correctness requires more.
    package var jobSegmentsMax: UInt64 = 25
    /// The most segments of the next level that a moved segment may overlap. A move that exceeds it becomes a merge.
    package var moveOverlapMax = 10
    /// The share of erased or expired bytes from which a segment is rewritten …
    package var erasedShareMin = 0.3
    /// … if they are at least this many bytes.
    package var erasedBytesMin: UInt64 = 1 << 20
    /// The most that value files may take, as a multiple of what is used of them.
    package var valueSpaceBound = 1.3
    /// The share of deletes from which a segment above the last level is compacted.
    package var tombstoneShareMin = 0.5

    package var blockBytes = 16 * 1024
    package var upperCodec = BlockCodec.lz4
    package var lastCodec = BlockCodec.zstd(level: 1)
    /// True if blocks are split into key parts and pages of values: ShaleEngine.docc, "Reads beyond the cache".
    package var splitsBlocks = false
    /// True if all blocks are split then; false if whole blocks of the last level stay where split ones would cost
    /// much: ``DictionaryPlan``.
    package var splitsAll = true
    /// True if zstd may get a dictionary for each namespace where it saves enough.
    package var trainsDictionaries = true
    /// The data bytes of a namespace in one job from which training a dictionary is tried.
    package var dictionaryDataBytesMin: UInt64 = 4 << 20
    /// The filter bits per key by level, L0 first; the last value is for the last level. See DESIGN.md, "Filter".
    package var filterBits = [16, 16, 16, 14, 12, 10, 8]

    /// True if blocks are copied only from segments whose record has the same codec and level.
    package var copiesOnlySameLevel = false

    /// The most key ranges that a merge is cut into, each of at least a segment of the last level. There are more
    /// ranges than threads, so that all threads are busy until the end.
    package var ranges = 1
    /// The number of ranges that run in parallel.
    package var threads = 1

    /// The budget that jobs charge their memory to.
    package var budget: MemoryBudget?

    package init() {}

    package func writerOptions(level: Int, isLast: Bool) -> SegmentWriterOptions {
        var result = SegmentWriterOptions(
            blockBytes: blockBytes, codec: isLast ? lastCodec : upperCodec, filterBitsPerKey: filterBits[level])
        result.splitsBlocks = splitsBlocks
        return result
    }

    package func segmentBytes(isLast: Bool) -> UInt64 { isLast ? lastSegmentBytes : upperSegmentBytes }

    /// Evens the sizes of the outputs of a range with `bytes` stored bytes, so that the range does not end with a small
    /// segment. Outputs are usually smaller than their inputs, so the margin is small.
    mutating func evenOutputs(ofBytes bytes: UInt64, isLast: Bool) {
        let size = isLast ? \CompactionOptions.lastSegmentBytes : \.upperSegmentBytes
        let count = max(1, (bytes + self[keyPath: size] - 1) / self[keyPath: size])
        self[keyPath: size] = min(self[keyPath: size], max(1, bytes / count + bytes / count / 16))
    }
}
