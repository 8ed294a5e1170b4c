package import ShaleBase
import ShaleManifest
package import ShaleSegment

/// Jobs for a disk that is short of space.
extension CompactionPicker {
    /// Returns the next job whose outputs take at most `outputMax` bytes. Jobs that free space come first. L0 is merged
    /// in parts if it does not fit as a whole, because writers wait for it.
    package func pick(l0Only: Bool, outputMax: UInt64) -> CompactionJob? {
        if let job = dropJob() { return job }
        let fits = { (job: CompactionJob) in job.outputBytesMax(horizon) <= outputMax }
        if !l0Only, let job = erasureJob(where: fits) { return job }
        if l0Score >= 1, let job = l0Jobs().first(where: fits) { return job }
        if l0Only { return nil }
        for (level, _) in levelScores() { if let job = levelJob(level), fits(job) { return job } }
        return (tombstoneJob() ?? collectionJob()).flatMap { fits($0) ? $0 : nil }
    }

    /// Jobs for all of L0, then for fewer and fewer of its oldest segments.
    private func l0Jobs() -> some Sequence<CompactionJob> {
        let segments = version.levels[0].segments
        return (0..<segments.count).lazy.compactMap {
            mergeJob(level: 0, Array(segments.dropFirst($0)), into: targets.baseLevel)
        }
    }

    /// Returns the rewrite with the most dead bytes among those that `fits`. At least a twentieth of the segment must
    /// be dead.
    private func erasureJob(where fits: (CompactionJob) -> Bool) -> CompactionJob? {
        var best: (bytes: UInt64, job: CompactionJob)?
        for level in version.levels {
            for segment in level.segments where !busy.contains(segment.number) {
                let dead = ErasedBytes(segment.metadata, horizon).storedBytes
                guard dead * 20 >= segment.metadata.fileBytes, dead > best?.bytes ?? 0 else { continue }
                let job = rewriteJob(segment, level: level.level)
                if fits(job) { best = (dead, job) }
            }
        }
        return best?.job
    }
}

extension CompactionJob {
    /// Returns the most bytes that the outputs take, by metadata: those of the inputs' live entries.
    package func outputBytesMax(_ horizon: Horizon) -> UInt64 {
        guard kind == .merge || kind == .rewrite else { return 0 }
        return segments.reduce(0) { sum, segment in
            sum + segment.metadata.fileBytes
                - min(segment.metadata.fileBytes, ErasedBytes(segment.metadata, horizon).storedBytes)
                + segment.metadata.values.reduce(0) { $0 + (collected.contains($1.file) ? $1.usedBytes : 0) }
        }
    }
}

/// Compaction with little disk space.
///
/// A job takes the space of its outputs until they are installed and its inputs are deleted. To need less, a merge is
/// cut into steps at the boundaries of its inputs in the output level:
///
/// 1. Each step is an edit of its own. It replaces the inputs of the output level in its range.
/// 2. Inputs from above span several steps and are removed with the last one. Until then their merged entries exist
///    twice.
/// 3. So these inputs and the largest step are the most extra space. Less is not possible, because segments are only
///    replaced as a whole.
extension CompactionPicker {
    /// Returns the job as a sequence of jobs that take at most `bytesMax` of extra space; nil if there is none.
    ///
    /// - Parameter size: Returns the most bytes that a segment's entries take in the output.
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

    /// Returns the steps that move down as many of the oldest segments of L0 as fit in `bytesMax`; nil if not even one
    /// fits.
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
