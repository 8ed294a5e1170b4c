package import ShaleBase
import ShaleManifest
package import ShaleSegment

/// Compaction in little disk space.
///
/// A job takes the space of its outputs until they are installed and its inputs deleted. A merge is cut into steps at the edges
/// of its inputs in the output level: each step is an edit of its own, which replaces those of them that lie in its range.
/// Inputs from above reach into several steps and go with the last; until then what was merged of them is there twice. So at
/// most these inputs and the largest step are there on top of the store. Less is not possible, because segments are
/// only replaced as a whole.
extension CompactionPicker {
    /// The job as a sequence of jobs which take no more than `bytesMax` of extra space; nil if there is none. `size` is
    /// what a segment's entries may take in the output.
    package func steps(
        of job: CompactionJob, bytesMax: UInt64, size: (Segment) throws(StorageError) -> UInt64
    ) throws(StorageError) -> [CompactionJob]? {
        guard job.kind == .merge else { return [job] }
        let lower = job.inputs.filter { $0.level == job.outputLevel }.flatMap(\.segments)
        var upperBytes: UInt64 = 0
        for input in job.inputs where input.level != job.outputLevel {
            for segment in input.segments { upperBytes += try size(segment) }
        }
        var groups: [[Segment]] = [[]]
        var groupBytes: UInt64 = 0
        for segment in lower {
            let bytes = try size(segment)
            if groupBytes > 0, upperBytes + groupBytes + bytes > bytesMax {
                groups.append([])
                groupBytes = 0
            }
            groups[groups.count - 1].append(segment)
            groupBytes += bytes
            if upperBytes + groupBytes > bytesMax { return nil }
        }
        return upperBytes > bytesMax ? nil : jobs(of: job, replacing: groups)
    }

    private func jobs(of job: CompactionJob, replacing groups: [[Segment]]) -> [CompactionJob] {
        let above = job.inputs.filter { $0.level != job.outputLevel }
        let cuts = groups.dropLast().compactMap { $0.last.map { $0.metadata.largestKey + [0] } }
        return zip(groups, KeyBounds.all.divided(at: cuts)).enumerated().map { index, step in
            let (segments, bounds) = step
            return CompactionJob(
                .merge, above + [CompactionJob.Input(level: job.outputLevel, segments: segments)],
                outputLevel: job.outputLevel, isLast: job.isLast, older: job.older, grandparents: job.grandparents,
                bounds: bounds, keepsUpperInputs: index < groups.count - 1)
        }
    }

    /// As many of the oldest segments of L0 as can go down together in that space, as steps; nil if not even one can.
    package func l0Steps(
        bytesMax: UInt64, size: (Segment) throws(StorageError) -> UInt64
    ) throws(StorageError) -> [CompactionJob]? {
        let segments = version.levels[0].segments
        for count in (1...max(1, segments.count)).reversed() {
            guard let job = mergeJob(level: 0, Array(segments.suffix(count)), into: targets.baseLevel) else { continue }
            if let steps = try steps(of: job, bytesMax: bytesMax, size: size) { return steps }
        }
        return nil
    }
}
