import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShaleSegment

/// Compactions that a caller requests. Automatic compactions pause meanwhile; flushes continue.
extension EngineCore {
    func compact(
        _ scope: CompactionScope, _ request: ManualCompactionOptions,
        _ progress: @escaping (CompactionProgress) throws(StorageError) -> Void
    ) throws(StorageError) -> CompactionReport {
        try flush()
        // Blocks are sampled later, when each segment is processed.
        let estimate = try estimate(scope, request, samples: false)
        let totalBytes = estimate.readBytes + estimate.untouchedBytes
        return try withManualCompaction(scope, request, totalBytes, progress) { (session) throws(StorageError) in
            try session.dropDeadSegments()
            try session.mergeDown()
            try session.rewriteLastLevel()
        }
    }

    /// Frees the space of erased and expired entries: removes fully dead segments without reading them, and rewrites
    /// others without their dead blocks. Replaced files are deleted on return, except those in use by readers.
    func reclaim(
        _ progress: @escaping (CompactionProgress) throws(StorageError) -> Void
    ) throws(StorageError) -> CompactionReport {
        // Throws the error of a flush if the store is poisoned or closed.
        _ = try writableManifest()
        try committer.exclusively {}
        let totalBytes = viewCell.retained().version.storedBytes
        let report = try withManualCompaction(.all, ManualCompactionOptions(), totalBytes, progress) {
            (session) throws(StorageError) in
            // Fully dead segments are dropped first: on a full disk the flush needs their space.
            try session.dropDeadSegments()
            try obsoleteFiles.collectAll()
            do throws(StorageError) {
                try flush()
            } catch {
                // Entries in memtables stay there and are durable in their logs. The dead space of segments can be
                // freed without the flush.
                guard isShortage(error) else { throw error }
                shortages.add(1)
                try committer.syncLog()
            }
            try session.dropDeadSegments()
            try session.rewriteErased()
        }
        try obsoleteFiles.collectAll()
        return report
    }

    private func withManualCompaction(
        _ scope: CompactionScope, _ request: ManualCompactionOptions, _ totalBytes: UInt64,
        _ progress: @escaping (CompactionProgress) throws(StorageError) -> Void,
        _ work: (ManualCompaction) throws(StorageError) -> Void
    ) throws(StorageError) -> CompactionReport {
        guard let background else { throw Committer.readOnlyError }
        try background.pause()
        defer { background.resume() }
        let session = ManualCompaction(self, scope, request, totalBytes: totalBytes, progress)
        try session.checkSpace()
        try work(session)
        return session.report
    }
}

extension CompactionReport {
    mutating func add(_ job: CompactionJob, _ statistics: CompactionStatistics) {
        readBytes += statistics.readBytes
        writtenBytes += statistics.writtenBytes
        if job.kind != .move { returnedBytes += Int64(job.replacedBytes) - Int64(statistics.writtenBytes) }
        shadowedEntries += statistics.retention.shadowed
        erasedEntries += statistics.retention.erased + statistics.skippedEntries
        removedTombstones += statistics.retention.tombstones
        copiedBlocks += statistics.copiedBlocks
        skippedBlocks += statistics.skippedBlocks
    }
}

extension EngineCore {
    /// Returns the options for the jobs of a manual compaction.
    func manualOptions(_ request: ManualCompactionOptions) -> CompactionOptions {
        var result = compaction
        result.copiesOnlySameLevel = request.recompresses
        result.ranges = 4 * options.manualCompactionThreads
        result.threads = 1
        if case .threads = environment.scheduling { result.threads = options.manualCompactionThreads }
        return result
    }

    /// True if a segment of the last level has to be rewritten: it holds dead entries, or its compression differs from
    /// the requested one.
    ///
    /// - Parameter samples: Reads a few blocks to check if dictionaries would make the segment smaller. This applies to
    ///   a segment that was flushed and moved down, because no job has checked it.
    func needsRewrite(
        _ segment: Segment, _ picker: CompactionPicker, _ request: ManualCompactionOptions, samples: Bool = true
    ) throws(StorageError) -> Bool {
        if segment.metadata.deleteCount > 0 || ErasedBytes(segment.metadata, picker.horizon).hasDead { return true }
        let record = try segment.compression()
        if try !isCompressedAsRequested(segment, record, exactly: request.recompresses) { return true }
        // Versions kept for an old snapshot are invisible now.
        if record?.hasVersions == true, picker.horizon.readPoints.count == 1 { return true }
        guard samples, record?.soughtDictionaries != true,
            segment.metadata.features.isDisjoint(with: [.dictionaries, .valueCodes])
        else { return false }
        let job = picker.rewriteJob(segment, level: picker.targets.lastLevel)
        return try !DictionaryPlan(job: job, horizon: picker.horizon, options: compaction).choice().isEmpty
    }

    /// True if the segment has the requested compression. A segment without a record is judged by the codecs of its
    /// blocks.
    private func isCompressedAsRequested(
        _ segment: Segment, _ record: CompressionRecord?, exactly: Bool
    ) throws(StorageError) -> Bool {
        let requested = compaction.lastCodec
        let isSplit = record?.splitsBlocks ?? segment.metadata.features.contains(.splitBlocks)
        // Without a record, blocks may be whole because nothing was gained by splitting them.
        let mayBeWhole = record == nil && compaction.splitsBlocks && !compaction.splitsAll
        guard isSplit == compaction.splitsBlocks || mayBeWhole else { return false }
        if let record {
            if record.codec == requested { return true }
            if case .zstd = record.codec, case .zstd = requested { return !exactly }
            return false
        }
        guard exactly else { return try segment.indexRow(0).codec.isAcceptable(for: requested) }
        guard requested == .none else { return false }
        for block in 0..<(try segment.blockCount()) where try segment.indexRow(block).codec != .none { return false }
        return true
    }
}

extension CompactionOptions {
    /// Returns the options with as many threads as a quarter of `memoryBudget` allows. Each range holds a decoded block
    /// and a piece of each source in memory, and an output under construction.
    func affordable(for job: CompactionJob, _ memoryBudget: Int) -> CompactionOptions {
        let sources = job.inputs.reduce(0) { $0 + ($1.level == 0 ? $1.segments.count : 1) }
        let segmentBytes = Int(clamping: lastSegmentBytes)
        let outputBytes = CompactionOptions.fixedRangeBytes + segmentBytes / 8
        let rangeBytes = outputBytes + sources * min(CompactionOptions.sourceBytes, segmentBytes)
        var result = self
        result.threads = max(1, min(threads, memoryBudget / 4 / rangeBytes))
        return result
    }

    /// Buffers, a compressor and a block. The hashes of an output's keys and its index usually take an eighth of the
    /// output.
    private static var fixedRangeBytes: Int { 2 << 20 }
    private static var sourceBytes: Int { 5 << 18 }
}
