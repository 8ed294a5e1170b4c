import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShalePlatform
import ShaleSegment

/// Compactions that a caller asked for, on the caller's thread. Automatic picks rest meanwhile; flushes go on.
extension EngineCore {
    func compact(
        _ scope: CompactionScope, _ progress: @escaping (CompactionProgress) throws(StorageError) -> Void
    ) throws(StorageError) -> CompactionReport {
        try manually(scope, progress) { (session) throws(StorageError) in
            try session.dropDeadSegments()
            try session.mergeDown()
            try session.rewriteLastLevel()
        }
    }

    /// Gives the space of erased and expired entries back: whole segments unread, others without their dead blocks.
    func reclaim(
        _ progress: @escaping (CompactionProgress) throws(StorageError) -> Void
    ) throws(StorageError) -> CompactionReport {
        try manually(.all, progress) { (session) throws(StorageError) in
            try session.dropDeadSegments()
            try session.rewriteErased()
        }
    }

    private func manually(
        _ scope: CompactionScope, _ progress: @escaping (CompactionProgress) throws(StorageError) -> Void,
        _ work: (ManualCompaction) throws(StorageError) -> Void
    ) throws(StorageError) -> CompactionReport {
        try flush()
        guard let background else { throw Committer.readOnlyError }
        try background.pause()
        defer { background.resume() }
        let before = viewCell.retained().version.storedBytes
        let session = ManualCompaction(self, scope, progress)
        try work(session)
        try garbage.collect()
        session.report.returnedBytes = Int64(before) - Int64(viewCell.retained().version.storedBytes)
        return session.report
    }
}

/// One manual compaction: a sequence of ordinary jobs.
final class ManualCompaction {
    var report = CompactionReport()
    private let core: EngineCore
    private let scope: CompactionScope
    private let options: CompactionOptions
    /// Files from this number on were made since it began.
    private let firstNumber: UInt64
    private let progress: (CompactionProgress) throws(StorageError) -> Void
    private let totalBytes: UInt64
    private var finishedBytes: UInt64 = 0

    init(
        _ core: EngineCore, _ scope: CompactionScope,
        _ progress: @escaping (CompactionProgress) throws(StorageError) -> Void
    ) {
        self.core = core
        self.scope = scope
        self.progress = progress
        var options = core.compaction
        options.copiesBlocks = !scope.rewritesAll
        self.options = options
        firstNumber = core.fileNumbers.next
        totalBytes = core.viewCell.retained().version.levels.flatMap(\.segments)
            .reduce(0) { $0 + (scope.overlaps($1) ? $1.metadata.fileBytes : 0) }
    }

    private func picker() -> CompactionPicker {
        CompactionPicker(
            version: core.viewCell.retained().version, options: core.compaction, horizon: core.horizon(), busy: [])
    }

    func dropDeadSegments() throws(StorageError) {
        let picker = picker()
        if let job = picker.dropJob() { try run(job, picker.horizon) }
    }

    /// Moves every level into the next, from the top, in groups of neighbours that bound the extra space of one step. L0 goes
    /// as a whole or not at all: its segments overlap.
    func mergeDown() throws(StorageError) {
        let top = picker()
        let isAffected = top.version.levels[0].segments.contains { scope.overlaps($0) }
        if isAffected, let job = top.l0Job() { try run(job, top.horizon) }
        for level in 1..<(FormatLimits.levels - 1) {
            while true {
                let picker = picker()
                let group = picker.leadingGroup(of: level) { [scope] in scope.overlaps($0) }
                guard !group.isEmpty, let job = picker.mergeJob(level: level, group, into: level + 1) else { break }
                try run(job, picker.horizon)
            }
        }
    }

    /// Segments of the last level that nothing was merged into may hold dead entries, or another compression.
    func rewriteLastLevel() throws(StorageError) {
        try rewrite { (picker, level, segment) throws(StorageError) in
            guard level == picker.targets.lastLevel, segment.number < firstNumber, scope.overlaps(segment) else {
                return false
            }
            if try core.needsRewrite(segment, picker, scope) { return true }
            return try mayGetDictionary(segment, level, picker)
        }
    }

    /// Whether a segment that was moved here after a flush which compressed it would be smaller with dictionaries. A sample says so;
    /// where they are no use, it takes a few milliseconds.
    private func mayGetDictionary(
        _ segment: Segment, _ level: Int, _ picker: CompactionPicker
    ) throws(StorageError) -> Bool {
        guard !segment.metadata.hasDictionaries else { return false }
        let job = picker.rewriteJob(segment, level: level)
        let plan = DictionaryPlan(job: job, horizon: picker.horizon, options: options)
        return try !plan.dictionaries().isEmpty
    }

    func rewriteErased() throws(StorageError) {
        try rewrite { (picker, _, segment) in ErasedBytes(segment.metadata, picker.horizon).storedBytes > 0 }
    }

    /// Rewrites the segments that `isWanted` names, each once.
    private func rewrite(
        _ isWanted: (CompactionPicker, Int, Segment) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let start = picker()
        for level in start.version.levels {
            for segment in level.segments where try isWanted(start, level.level, segment) {
                let picker = picker()
                try run(picker.rewriteJob(segment, level: level.level), picker.horizon)
            }
        }
    }

    private func run(_ job: CompactionJob, _ horizon: Horizon) throws(StorageError) {
        let base = finishedBytes
        let statistics = try core.run(job, horizon, options) { [self] (bytes) throws(StorageError) in
            try progress(CompactionProgress(readBytes: min(base + bytes, totalBytes), totalBytes: totalBytes))
        }
        finishedBytes += job.kind == .move ? 0 : statistics.readBytes
        report.add(statistics)
        try core.garbage.collect()
        try progress(CompactionProgress(readBytes: min(finishedBytes, totalBytes), totalBytes: totalBytes))
    }
}

extension CompactionReport {
    mutating func add(_ statistics: CompactionStatistics) {
        readBytes += statistics.readBytes
        writtenBytes += statistics.writtenBytes
        shadowedEntries += statistics.retention.shadowed
        erasedEntries += statistics.retention.erased + statistics.skippedEntries
        removedTombstones += statistics.retention.tombstones
        copiedBlocks += statistics.copiedBlocks
        skippedBlocks += statistics.skippedBlocks
    }
}
