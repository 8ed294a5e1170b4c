import ShaleBase
import ShaleManifest
import ShaleSegment

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
        return tombstoneJob().flatMap { fits($0) ? $0 : nil }
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
        }
    }
}
