import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShaleSegment

/// The estimated effect of a compaction, from metadata.
public struct CompactionEstimate: Sendable, Hashable {
    /// An upper bound on the stored bytes of the segments that it would read.
    public internal(set) var readBytes: UInt64 = 0
    /// An upper bound on the stored bytes that it would write.
    public internal(set) var writtenBytes: UInt64 = 0
    /// A lower bound on the stored bytes that it would free: purged, truncated, dropped or expired entries.
    ///
    /// Entries hidden by newer versions, and another compression, may free more.
    public internal(set) var freedBytes: UInt64 = 0
    /// An upper bound on the free space that it needs meanwhile.
    public internal(set) var extraBytes: UInt64 = 0
    public internal(set) var segments = 0
    /// The stored bytes of the segments that it would examine but not rewrite.
    var untouchedBytes: UInt64 = 0
}

extension Engine {
    /// Estimates the effect of ``compact(_:options:progress:)``.
    ///
    /// Reads the compression records of segments in the last level, and samples of those that no compaction has checked
    /// for dictionaries.
    ///
    /// - Throws: The errors that the compaction throws before it begins.
    public func compactionEstimate(
        _ scope: CompactionScope = .all, options: ManualCompactionOptions = ManualCompactionOptions()
    ) throws(StorageError) -> CompactionEstimate {
        guard let bytesMax = options.extraDiskBytesMax else { return try core.estimate(scope, options) }
        try ManualCompaction(core, scope, options, totalBytes: 0) { _ throws(StorageError) in }.checkSpace()
        var estimate = try core.estimate(scope, options)
        estimate.extraBytes = min(estimate.extraBytes, bytesMax)
        return estimate
    }
}

extension EngineCore {
    /// Simulates a compaction: each level, with the segments that came down to it, is merged with its overlaps in the
    /// next.
    ///
    /// - Parameter samples: See ``needsRewrite(_:_:_:samples:)``.
    func estimate(
        _ scope: CompactionScope, _ request: ManualCompactionOptions, samples: Bool = true
    ) throws(StorageError) -> CompactionEstimate {
        clock.refreshTrusted()
        let picker = picker()
        let last = picker.targets.lastLevel
        var estimate = CompactionEstimate()
        var moving: [Segment] = []
        if let job = picker.columnJob(bytesMax: picker.jobBytesMax, where: { scope.overlaps($0) }) {
            moving = job.segments
            estimate.add(moving, picker.horizon)
        } else {
            moving = moveDown(scope, picker, &estimate)
        }
        let included = Set(moving.map(\.number))
        for segment in picker.version.levels[last].segments
        where scope.overlaps(segment) && !included.contains(segment.number) {
            guard try needsRewrite(segment, picker, request, samples: samples) else {
                estimate.untouchedBytes += segment.metadata.fileBytes
                continue
            }
            estimate.add([segment], picker.horizon)
            moving.append(segment)
        }
        estimate.segments = moving.count
        estimate.freedBytes = moving.reduce(0) { $0 + ErasedBytes($1.metadata, picker.horizon).storedBytes }
        let top = picker.version.levels[0].storedBytes + picker.version.levels[picker.targets.baseLevel].storedBytes
        estimate.extraBytes = min(estimate.writtenBytes, max(picker.jobBytesMax, top))
        return estimate
    }

    /// Returns every segment that moves down or overlaps one that does.
    private func moveDown(
        _ scope: CompactionScope, _ picker: CompactionPicker, _ estimate: inout CompactionEstimate
    ) -> [Segment] {
        var moving: [Segment] = []
        for (level, next) in levelSteps(picker.targets) {
            let segments = picker.version.levels[level].segments
            let isWhole = level == 0 && segments.contains { scope.overlaps($0) }
            let known = Set(moving.map(\.number))
            moving += segments.filter { !known.contains($0.number) && (isWhole || scope.overlaps($0)) }
            guard let lower = moving.map(\.smallestKey).min(by: <), let upper = moving.map(\.largestKey).max(by: <)
            else { continue }
            let included = Set(moving.map(\.number))
            moving += picker.version.levels[next].overlapping(lower, upper).filter { !included.contains($0.number) }
            estimate.add(moving, picker.horizon)
        }
        return moving
    }

    /// Returns the merges of a compaction: L0 goes into the base level, and each level from there on into the next. The
    /// levels in between are empty.
    private func levelSteps(_ targets: LevelTargets) -> [(level: Int, next: Int)] {
        [(0, targets.baseLevel)] + (targets.baseLevel..<targets.lastLevel).map { ($0, $0 + 1) }
    }
}

extension CompactionEstimate {
    /// Adds one step that reads these segments and writes their live entries.
    fileprivate mutating func add(_ segments: [Segment], _ horizon: Horizon) {
        for segment in segments {
            let bytes = segment.metadata.fileBytes
            readBytes += bytes
            writtenBytes += bytes - min(ErasedBytes(segment.metadata, horizon).storedBytes, bytes)
        }
    }
}

extension CompactionScope {
    func overlaps(_ segment: Segment) -> Bool {
        overlaps(segment.metadata.smallestKey, segment.metadata.largestKey)
    }
}
