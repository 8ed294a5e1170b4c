import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShalePlatform
import ShaleSegment

/// One manual compaction: a sequence of ordinary jobs. A large merge is cut into ranges of keys that are done side by side;
/// segments that are only written again are, each by a job of its own. Every job is one edit, so what is finished stays
/// whatever happens next, and nothing says that it has to be done again.
///
/// Several threads use it. Nothing changes but the counters; `progress` is only called on the caller's thread.
final class ManualCompaction: @unchecked Sendable {
    let core: EngineCore
    let wishes: ManualCompactionOptions
    let options: CompactionOptions
    let scope: CompactionScope
    /// Files from this number on were made since it began.
    let firstNumber: UInt64
    private let progress: (CompactionProgress) throws(StorageError) -> Void
    private let totalBytes: UInt64
    private let readBytes = ByteCounter()
    /// Finished jobs.
    private let jobs = ByteCounter()
    private let done = Guarded(CompactionReport())

    var report: CompactionReport { done.withLock { $0 } }

    /// `totalBytes`: what it will read, at most, and pass over.
    init(
        _ core: EngineCore, _ scope: CompactionScope, _ wishes: ManualCompactionOptions, totalBytes: UInt64,
        _ progress: @escaping (CompactionProgress) throws(StorageError) -> Void
    ) {
        self.core = core
        self.scope = scope
        self.wishes = wishes
        self.progress = progress
        options = core.manualOptions(wishes)
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

    /// Moves every level into the next, from the top, in groups of neighbours that bound the extra space of one step; all at
    /// once where a group has room for it. L0 goes as a whole or not at all: its segments overlap.
    func mergeDown() throws(StorageError) {
        if let bytesMax = wishes.extraDiskBytesMax { return try mergeDown(within: bytesMax) }
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

    /// Does the jobs that `pick` finds in the store as it is now, one after the other; false when there are none.
    @discardableResult
    func perform(
        _ pick: (CompactionPicker) throws(StorageError) -> [CompactionJob]?
    ) throws(StorageError) -> Bool {
        guard var jobs = try pick(picker()) else { return false }
        while !jobs.isEmpty {
            // Nothing refers to its inputs behind it: what it has replaced can be deleted.
            try run(jobs.removeFirst(), core.horizon()) { [self] () throws(StorageError) in try tell() }
            try giveBack()
            try tell()
        }
        return true
    }

    // MARK: Rewriting

    /// Segments of the last level that nothing was merged into may hold dead entries, or another compression.
    func rewriteLastLevel() throws(StorageError) {
        let last = FormatLimits.levels - 1
        try rewrite(levels: last...last) { [self] (picker, segment) throws(StorageError) in
            guard segment.number < firstNumber, scope.overlaps(segment) else { return false }
            return try core.needsRewrite(segment, picker, wishes)
        }
    }

    /// A segment that finds no space is left as it is; what the others return may make room for it, so it is tried again as long
    /// as there are others.
    func rewriteErased() throws(StorageError) {
        let refused = ByteCounter()
        var refusedBefore: UInt64 = 0
        var doneBefore = jobs.current
        while true {
            try rewrite(levels: 0...(FormatLimits.levels - 1), refused) { (picker, segment) in
                ErasedBytes(segment.metadata, picker.horizon).storedBytes > 0
            }
            guard refused.current > refusedBefore, jobs.current > doneBefore else { return }
            try core.garbage.collect()
            refusedBefore = refused.current
            doneBefore = jobs.current
        }
    }

    /// Rewrites the segments of `levels` that `isWanted` names, each once, several at a time.
    ///
    /// With `refused`, one for which there is no space is counted there and left alone.
    private func rewrite(
        levels: ClosedRange<Int>, _ refused: ByteCounter? = nil,
        _ isWanted: @escaping @Sendable (CompactionPicker, Segment) throws(StorageError) -> Bool
    ) throws(StorageError) {
        // By number: whoever keeps the segments keeps their files.
        let all = core.viewCell.retained().version.levels[levels].flatMap { level in
            level.segments.map { (level: level.level, number: $0.number) }
        }
        let threads = try rewriteThreads()
        try ParallelWork.run(all.count, threads: threads, poll: { [self] () throws(StorageError) in try tell() }) {
            [self] (item, pause) throws(StorageError) in
            try pause()
            do throws(StorageError) {
                if try rewriteIfWanted(all[item].number, level: all[item].level, isWanted, pause) { try giveBack() }
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
            // As good as read, unless a merge has just written it.
            if number < firstNumber, scope.overlaps(segment) { readBytes.add(segment.metadata.fileBytes) }
            return false
        }
        try run(picker.rewriteJob(segment, level: level), picker.horizon, pause)
        return true
    }

    // MARK: Jobs

    /// Calls `pause` about every MiB that it has read.
    private func run(
        _ job: CompactionJob, _ horizon: Horizon, _ pause: @escaping () throws(StorageError) -> Void
    ) throws(StorageError) {
        let told = ByteCounter()
        let options = options.affordable(for: job, core.options.memoryBudget)
        let statistics = try core.run(job, horizon, options) { [self] (bytes) throws(StorageError) in
            note(bytes, told)
            try pause()
        }
        note(statistics.readBytes, told)
        jobs.add(1)
        done.withLock { $0.add(job, statistics) }
    }

    /// A job has read `bytes` so far, of which `told` are counted.
    private func note(_ bytes: UInt64, _ told: ByteCounter) {
        let fresh = bytes - told.current
        readBytes.add(fresh)
        told.add(fresh)
    }

    private func tell() throws(StorageError) {
        try progress(CompactionProgress(readBytes: min(readBytes.current, totalBytes), totalBytes: totalBytes))
    }

    /// Deletes what was replaced. A thread of its own does that beside the next job and behind the last, because giving blocks
    /// back takes tens of milliseconds for each segment, unless the space is bounded.
    private func giveBack() throws(StorageError) {
        if wishes.extraDiskBytesMax == nil, case .threads = core.environment.scheduling {
            core.background?.wake()
        } else {
            try core.garbage.collect()
        }
    }
}
