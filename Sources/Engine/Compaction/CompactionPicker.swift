import ShaleBase
package import ShaleManifest
package import ShaleSegment

/// Chooses the next job from metadata alone. A pure function of its inputs: scripts test it without files.
///
/// Order: whole segments that are dead (free space for no I/O); L0 when it is as urgent as any level; the level most
/// over its target; erasure, expiry and tombstone rewrites.
package struct CompactionPicker {
    package let version: Version
    package let targets: LevelTargets
    package let options: CompactionOptions
    package let horizon: Horizon
    /// Segments that belong to running jobs.
    package let busy: Set<UInt64>

    package init(version: Version, options: CompactionOptions, horizon: Horizon, busy: Set<UInt64>) {
        self.version = version
        self.options = options
        self.horizon = horizon
        self.busy = busy
        targets = LevelTargets(version, options)
    }

    /// `l0Only` is for a lane that is kept free for what writers wait for.
    package func pick(l0Only: Bool = false) -> CompactionJob? {
        if let job = dropJob() { return job }
        let scores = levelScores()
        let l0 = l0Score
        if l0 >= 1, l0Only || l0 >= (scores.first?.score ?? 0), let job = l0Job() { return job }
        if l0Only { return nil }
        for (level, _) in scores { if let job = levelJob(level) { return job } }
        if l0 >= 1, let job = l0Job() { return job }
        return erasureJob() ?? tombstoneJob()
    }

    // MARK: Scores

    /// From 1 on L0 is due. A job rewrites all that it meets in the base level, so L0 waits until it is as large as that;
    /// but not beyond `l0TriggerMax` segments, because every read looks at each of them.
    package var l0Score: Double {
        let l0 = version.levels[0]
        let count = Double(l0.segments.count)
        let due = count / Double(options.l0Trigger)
        guard due >= 1, let lower = l0.segments.map(\.smallestKey).min(by: <),
            let upper = l0.segments.map(\.largestKey).max(by: <)
        else { return due }
        let rewritten = version.levels[targets.baseLevel].overlapping(lower, upper)
            .reduce(UInt64(0)) { $0 + $1.metadata.dataBytes }
        let moved = l0.segments.reduce(UInt64(0)) { $0 + $1.metadata.dataBytes }
        let worth = Double(moved) / Double(max(1, rewritten))
        return max(min(due, worth), count / Double(options.l0TriggerMax))
    }

    /// Levels over their target, the worst first.
    package func levelScores() -> [(level: Int, score: Double)] {
        (targets.baseLevel..<targets.lastLevel)
            .map { ($0, Double(version.levels[$0].storedBytes) / Double(max(1, targets.bytes[$0]))) }
            .filter { $0.1 >= 1 }
            .sorted { $0.1 > $1.1 }
    }

    func isFree(_ segments: some Sequence<Segment>) -> Bool {
        segments.allSatisfy { !busy.contains($0.number) }
    }

    // MARK: Jobs by size

    /// All of L0 that is not busy, oldest first up to the job limit, with what it overlaps in the base level.
    package func l0Job() -> CompactionJob? {
        let l0 = version.levels[0].segments
        guard isFree(l0), !l0.isEmpty else { return nil }
        return mergeJob(level: 0, l0, into: targets.baseLevel)
    }

    /// The segment of the level whose move down rewrites least for each byte it relieves.
    func levelJob(_ level: Int) -> CompactionJob? {
        var best: (cost: Double, job: CompactionJob)?
        for segment in version.levels[level].segments where !busy.contains(segment.number) {
            let below = version.levels[level + 1].overlapping(segment.smallestKey, segment.largestKey)
            let overlap = below.reduce(UInt64(0)) { $0 + $1.metadata.fileBytes }
            let relieved = segment.metadata.fileBytes + ErasedBytes(segment.metadata, horizon).storedBytes
            let cost = Double(overlap) / Double(max(1, relieved))
            if let best, best.cost <= cost { continue }
            if let job = mergeJob(level: level, [segment], into: level + 1) { best = (cost, job) }
        }
        return best?.job
    }

    /// Merges `segments` of `level` into `output`, or moves them when nothing overlaps. What is dead is not moved: it would
    /// be carried along, and tombstones in the last level would never be met again.
    package func mergeJob(level: Int, _ segments: [Segment], into output: Int) -> CompactionJob? {
        guard let lower = segments.map(\.smallestKey).min(by: <), let upper = segments.map(\.largestKey).max(by: <)
        else { return nil }
        let below = Array(version.levels[output].overlapping(lower, upper))
        guard isFree(segments), isFree(below) else { return nil }
        let grandparents =
            output < targets.lastLevel ? Array(version.levels[output + 1].overlapping(lower, upper)) : []
        let inputs = [
            CompactionJob.Input(level: level, segments: segments), CompactionJob.Input(level: output, segments: below),
        ]
        let isLast = output == targets.lastLevel
        let moves =
            below.isEmpty && grandparents.count <= options.moveOverlapMax && areDisjoint(segments)
            && segments.allSatisfy {
                ErasedBytes($0.metadata, horizon).storedBytes == 0 && !(isLast && $0.metadata.deleteCount > 0)
            }
        return CompactionJob(
            moves ? .move : .merge, moves ? [inputs[0]] : inputs, outputLevel: output, isLast: isLast,
            older: OlderSegments(below: output, of: version), grandparents: grandparents)
    }

    private func areDisjoint(_ segments: [Segment]) -> Bool {
        let sorted = segments.sorted { $0.smallestKey < $1.smallestKey }
        return zip(sorted, sorted.dropFirst()).allSatisfy { $0.largestKey < $1.smallestKey }
    }
}
