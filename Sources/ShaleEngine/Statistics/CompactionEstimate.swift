import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShaleSegment

/// What a compaction would do, told from metadata.
public struct CompactionEstimate: Sendable, Hashable {
    /// Stored bytes of the segments that it would read, at most.
    public internal(set) var readBytes: UInt64 = 0
    /// Stored bytes that it would write, at most.
    public internal(set) var writtenBytes: UInt64 = 0
    /// Stored bytes that would be free then, at least: what is purged, truncated, dropped or expired. What newer versions
    /// hide, and another compression, comes on top.
    public internal(set) var freedBytes: UInt64 = 0
    /// Free space that it needs meanwhile, at most.
    public internal(set) var extraBytes: UInt64 = 0
    public internal(set) var segments = 0
}

extension Engine {
    /// What ``compact(_:progress:)`` would do. Reads no data; the first block's row of segments in the last level only.
    public func compactionEstimate(_ scope: CompactionScope = .all) throws(StorageError) -> CompactionEstimate {
        try core.estimate(scope)
    }
}

extension EngineCore {
    /// Follows what a compaction does: each level, with what came down to it, is merged into what it meets in the next.
    func estimate(_ scope: CompactionScope) throws(StorageError) -> CompactionEstimate {
        let picker = CompactionPicker(
            version: viewCell.retained().version, options: compaction, horizon: horizon(), busy: [])
        let last = picker.targets.lastLevel
        var estimate = CompactionEstimate()
        var moving: [Segment] = []
        for (level, next) in stations(picker.targets) {
            let segments = picker.version.levels[level].segments
            let isWhole = level == 0 && segments.contains { scope.overlaps($0) }
            let known = Set(moving.map(\.number))
            moving += segments.filter { !known.contains($0.number) && (isWhole || scope.overlaps($0)) }
            guard let lower = moving.map(\.smallestKey).min(by: <), let upper = moving.map(\.largestKey).max(by: <)
            else { continue }
            moving += picker.version.levels[next].overlapping(lower, upper)
            estimate.add(moving, picker.horizon)
        }
        let met = Set(moving.map(\.number))
        for segment in picker.version.levels[last].segments
        where scope.overlaps(segment) && !met.contains(segment.number) {
            guard try needsRewrite(segment, picker, scope) else { continue }
            estimate.add([segment], picker.horizon)
            moving.append(segment)
        }
        estimate.segments = moving.count
        estimate.freedBytes = moving.reduce(0) { $0 + ErasedBytes($1.metadata, picker.horizon).storedBytes }
        let job = compaction.jobSegmentsMax * compaction.lastSegmentBytes
        let top = picker.version.levels[0].storedBytes + picker.version.levels[picker.targets.baseLevel].storedBytes
        estimate.extraBytes = min(estimate.writtenBytes, max(job, top))
        return estimate
    }

    /// The ways down: L0 goes into the base level, and each level below L0 into the next.
    private func stations(_ targets: LevelTargets) -> [(level: Int, next: Int)] {
        [(0, targets.baseLevel)] + (1..<targets.lastLevel).map { ($0, $0 + 1) }
    }

    /// Whether a segment of the last level does not stay as it is.
    func needsRewrite(
        _ segment: Segment, _ picker: CompactionPicker, _ scope: CompactionScope
    ) throws(StorageError) -> Bool {
        if scope.rewritesAll || segment.metadata.deleteCount > 0 { return true }
        if ErasedBytes(segment.metadata, picker.horizon).storedBytes > 0 { return true }
        return try !segment.indexRow(0).codec.isAcceptable(for: compaction.lastCodec)
    }
}

extension CompactionEstimate {
    /// One step that reads these segments and writes what lives of them.
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
