import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShaleSegment

extension EngineCore {
    /// How the jobs of a manual compaction are done.
    func manualOptions(_ wishes: ManualCompactionOptions) -> CompactionOptions {
        var result = compaction
        result.copiesOnlySameLevel = wishes.recompresses
        result.ranges = 4 * options.manualCompactionThreads
        result.threads = 1
        if case .threads = environment.scheduling { result.threads = options.manualCompactionThreads }
        return result
    }

    /// Whether a segment of the last level does not stay as it is: something in it is dead, or it is compressed otherwise than
    /// wished. `samples`: whether a few blocks are read to see if dictionaries would make it smaller, where nobody has
    /// looked; it was flushed and moved down then.
    func needsRewrite(
        _ segment: Segment, _ picker: CompactionPicker, _ wishes: ManualCompactionOptions, samples: Bool = true
    ) throws(StorageError) -> Bool {
        if segment.metadata.deleteCount > 0 || ErasedBytes(segment.metadata, picker.horizon).hasDead { return true }
        let record = try segment.compression()
        if try !isCompressedAsWished(segment, record, exactly: wishes.recompresses) { return true }
        // What an old snapshot saw is hidden from everybody else.
        if record?.hasVersions == true, picker.horizon.observers.count == 1 { return true }
        guard samples, record?.soughtDictionaries != true, !segment.metadata.hasDictionaries else { return false }
        let job = picker.rewriteJob(segment, level: picker.targets.lastLevel)
        return try !DictionaryPlan(job: job, horizon: picker.horizon, options: compaction).dictionaries().isEmpty
    }

    /// Segments without a record are judged by the codecs of their blocks.
    private func isCompressedAsWished(
        _ segment: Segment, _ record: CompressionRecord?, exactly: Bool
    ) throws(StorageError) -> Bool {
        let wished = compaction.lastCodec
        if let record {
            if record.codec == wished { return true }
            if case .zstd = record.codec, case .zstd = wished { return !exactly }
            return false
        }
        guard exactly else { return try segment.indexRow(0).codec.isAcceptable(for: wished) }
        guard wished == .none else { return false }
        for block in 0..<(try segment.blockCount()) where try segment.indexRow(block).codec != .none { return false }
        return true
    }
}

extension CompactionOptions {
    /// A range has a decoded block and a piece of each source in memory, and an output under construction. Together they take
    /// at most a quarter of the budget.
    func affordable(for job: CompactionJob, _ memoryBudget: Int) -> CompactionOptions {
        let sources = job.inputs.reduce(0) { $0 + ($1.level == 0 ? $1.segments.count : 1) }
        let segmentBytes = Int(clamping: lastSegmentBytes)
        let outputBytes = CompactionOptions.fixedRangeBytes + segmentBytes / 8
        let rangeBytes = outputBytes + sources * min(CompactionOptions.sourceBytes, segmentBytes)
        var result = self
        result.threads = max(1, min(threads, memoryBudget / 4 / rangeBytes))
        return result
    }

    /// Buffers, a compressor and a block; the hashes of an output's keys and its index are an eighth of it at most times.
    private static var fixedRangeBytes: Int { 2 << 20 }
    private static var sourceBytes: Int { 5 << 18 }
}
