import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShalePlatform
import ShaleSegment

/// One manual compaction: a sequence of ordinary jobs.
///
/// A large merge is cut into key ranges that run in parallel. Segments that are only rewritten run in parallel too, one
/// job each. Every job is one edit, so finished jobs stay finished whatever happens next; no record requests their
/// repetition.
///
/// Several threads use this object. Only the counters change. `progress` is called only on the caller's thread.
final class ManualCompaction: @unchecked Sendable {
    let core: EngineCore
    let request: ManualCompactionOptions
    let options: CompactionOptions
    let scope: CompactionScope
    /// Files with this number or a larger one were created since the compaction began.
    let firstNumber: UInt64
    private let progress: (CompactionProgress) throws(StorageError) -> Void
    private let totalBytes: UInt64
    private let readBytes = ByteCounter()
    /// The number of finished jobs.
    private let jobs = ByteCounter()
    private let done = Locked(CompactionReport())

    var report: CompactionReport { done.withLock { $0 } }

    /// Creates a compaction. `totalBytes` is the most that it will read or skip.
    init(
        _ core: EngineCore, _ scope: CompactionScope, _ request: ManualCompactionOptions, totalBytes: UInt64,
        _ progress: @escaping (CompactionProgress) throws(StorageError) -> Void
    ) {
        self.core = core
        self.scope = scope
        self.request = request
        self.progress = progress
        options = core.manualOptions(request)
        firstNumber = core.fileNumbers.next
        self.totalBytes = totalBytes
    }

    func picker() -> CompactionPicker {
        core.clock.refreshTrusted()
        return core.picker()
    }

    // MARK: Merging

    func dropDeadSegments() throws(StorageError) {
        while try perform({ picker in picker.dropJob().map { [$0] } }) {}
    }

    /// Merges every level into the next, from the top, in groups of neighbours that bound the extra space of one step.
    /// If a single group has room for everything, it is one job. L0 is merged as a whole or not at all, because its
    /// segments overlap.
    func mergeDown() throws(StorageError) {
        if let bytesMax = request.extraDiskBytesMax { return try mergeDown(within: bytesMax) }
        let isWanted = { [scope] in scope.overlaps($0) }
        if try perform({ $0.columnJob(bytesMax: $0.jobBytesMax, where: isWanted).map { [$0] } }) { return }
        try perform { picker in
            guard picker.version.levels[0].segments.contains(where: isWanted) else { return nil }
            return picker.l0Job().map { [$0] }
        }
        for level in 1..<(FormatLimits.levels - 1) {
            while try perform({ picker in
                let group = picker.leadingGroup(of: level, where: isWanted)
                return group.isEmpty ? nil : picker.mergeJob(level: level, group, into: level + 1).map { [$0] }
            }) {}
        }
    }

    /// Runs the jobs that `pick` finds in the current store, one after the other. Returns false if there are none.
    @discardableResult
    func perform(
        _ pick: (CompactionPicker) throws(StorageError) -> [CompactionJob]?
    ) throws(StorageError) -> Bool {
        guard var jobs = try pick(picker()) else { return false }
        while !jobs.isEmpty {
            // `removeFirst` releases the job's inputs after the run, so that replaced files can be deleted.
            try run(jobs.removeFirst(), core.horizon()) { [self] () throws(StorageError) in try reportProgress() }
            try releaseSpace()
            try reportProgress()
        }
        return true
    }

    // MARK: Rewriting

    /// Rewrites segments of the last level that were not merged but hold dead entries, or have another compression.
    func rewriteLastLevel() throws(StorageError) {
        let last = FormatLimits.levels - 1
        try rewrite(levels: last...last) { [self] (picker, segment) throws(StorageError) in
            guard segment.number < firstNumber, scope.overlaps(segment) else { return false }
            return try core.needsRewrite(segment, picker, request)
        }
    }

    /// Rewrites segments that hold erased or expired entries. A segment that finds no space stays as it is. Other jobs
    /// may free space for it, so it is retried as long as other jobs succeed.
    func rewriteErased() throws(StorageError) {
        let refused = ByteCounter()
        var refusedBefore: UInt64 = 0
        var doneBefore = jobs.current
        while true {
            try rewrite(levels: 0...(FormatLimits.levels - 1), refused) { (picker, segment) in
                ErasedBytes(segment.metadata, picker.horizon).storedBytes > 0
            }
            guard refused.current > refusedBefore, jobs.current > doneBefore else { return }
            try core.obsoleteFiles.collect()
            refusedBefore = refused.current
            doneBefore = jobs.current
        }
    }

    /// Rewrites the segments of `levels` that `isWanted` accepts, each once and several in parallel.
    ///
    /// - Parameter refused: Counts the segments that found no space and stay as they are. If nil, a lack of space is
    ///   thrown.
    private func rewrite(
        levels: ClosedRange<Int>, _ refused: ByteCounter? = nil,
        _ isWanted: @escaping @Sendable (CompactionPicker, Segment) throws(StorageError) -> Bool
    ) throws(StorageError) {
        // By number, because references to the segments would keep their files.
        let all = core.viewCell.retained().version.levels[levels].flatMap { level in
            level.segments.map { (level: level.level, number: $0.number) }
        }
        let threads = try rewriteThreads()
        try ParallelWork.run(
            all.count, threads: threads, poll: { [self] () throws(StorageError) in try reportProgress() }
        ) {
            [self] (item, pause) throws(StorageError) in
            try pause()
            do throws(StorageError) {
                if try rewriteIfWanted(all[item].number, level: all[item].level, isWanted, pause) { try releaseSpace() }
            } catch {
                guard core.isShortage(error), let refused else { throw error }
                core.shortages.add(1)
                refused.add(1)
            }
        }
    }

    private func rewriteIfWanted(
        _ number: UInt64, level: Int, _ isWanted: (CompactionPicker, Segment) throws(StorageError) -> Bool,
        _ pause: @escaping () throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        let picker = picker()
        guard let segment = picker.version.levels[level].segments.first(where: { $0.number == number }) else {
            return false
        }
        guard try isWanted(picker, segment) else {
            // Counts as read, unless a merge has just written it.
            if number < firstNumber, scope.overlaps(segment) { readBytes.add(segment.metadata.fileBytes) }
            return false
        }
        try run(picker.rewriteJob(segment, level: level), picker.horizon, pause)
        return true
    }

    // MARK: Jobs

    /// Runs one job. Calls `pause` after about every MiB read.
    private func run(
        _ job: CompactionJob, _ horizon: Horizon, _ pause: @escaping () throws(StorageError) -> Void
    ) throws(StorageError) {
        let reported = ByteCounter()
        let options = options.affordable(for: job, core.options.memoryBudget)
        let statistics = try core.run(job, horizon, options) { [self] (bytes) throws(StorageError) in
            note(bytes, reported)
            try pause()
        }
        note(statistics.readBytes, reported)
        jobs.add(1)
        done.withLock { $0.add(job, statistics) }
    }

    /// Updates the counters for a job that has read `bytes` so far, of which `reported` are counted.
    private func note(_ bytes: UInt64, _ reported: ByteCounter) {
        let fresh = bytes - reported.current
        readBytes.add(fresh)
        reported.add(fresh)
    }

    private func reportProgress() throws(StorageError) {
        try progress(CompactionProgress(readBytes: min(readBytes.current, totalBytes), totalBytes: totalBytes))
    }

    /// Deletes replaced files. A background thread does that beside the next job, because freeing blocks takes tens of
    /// milliseconds for each segment. If extra space is bounded, this thread does it.
    private func releaseSpace() throws(StorageError) {
        if request.extraDiskBytesMax == nil, case .threads = core.environment.scheduling {
            core.background?.wake()
        } else {
            try core.obsoleteFiles.collect()
        }
    }
}
