import ShaleBase
package import ShaleManifest
package import ShaleSegment

/// Chooses the next job from metadata alone. A pure function of its inputs, so that scripts test it without files.
///
/// Order: fully dead segments, which free space without I/O; L0, if it is as urgent as any level; the level that
/// exceeds its target most; rewrites for erased and expired entries and for tombstones; L0 again, if it may hide many
/// overwritten values; collection of value files.
package struct CompactionPicker {
    package let version: Version
    package let targets: LevelTargets
    package let options: CompactionOptions
    package let horizon: Horizon
    /// The segments of running jobs.
    package let busy: Set<UInt64>

    package init(version: Version, options: CompactionOptions, horizon: Horizon, busy: Set<UInt64>) {
        self.version = version
        self.options = options
        self.horizon = horizon
        self.busy = busy
        targets = LevelTargets(version, options)
    }

    /// Returns the next job. `l0Only` restricts it to the jobs that writers wait for.
    package func pick(l0Only: Bool = false) -> CompactionJob? {
        if let job = dropJob() { return job }
        let scores = levelScores()
        let l0 = l0Score
        if l0 >= 1, l0Only || l0 >= (scores.first?.score ?? 0), let job = l0Job() { return job }
        if l0Only { return nil }
        for (level, _) in scores { if let job = levelJob(level) { return job } }
        if l0 >= 1, let job = l0Job() { return job }
        return erasureJob() ?? tombstoneJob() ?? hiddenValuesJob() ?? collectionJob()
    }

    // MARK: Scores

    /// The urgency of compacting L0; L0 is due from 1 on.
    ///
    /// A job rewrites everything that L0 overlaps in the base level. So L0 waits until it is as large as that overlap,
    /// but only up to `l0TriggerMax` segments, because every read checks each of them.
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

    /// The levels that exceed their target, by descending excess.
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

    /// Returns a job that merges all of L0 with its overlap in the base level; nil if one of these segments is busy.
    package func l0Job() -> CompactionJob? {
        let l0 = version.levels[0].segments
        guard isFree(l0), !l0.isEmpty else { return nil }
        return mergeJob(level: 0, l0, into: targets.baseLevel)
    }

    /// Returns the job that moves down the segment with the least rewriting for each byte that the level loses.
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

    /// Returns a job that merges `segments` of `level` into `output`, or moves them if nothing overlaps.
    ///
    /// Segments with dead entries are not moved, because a move keeps them, and no later job would meet tombstones in
    /// the last level.
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

/// The target size of each level, from the current tree (dynamic base level).
///
/// The target of the last level is the size of the largest level. Each level above may hold a `fanOut`-th of the one
/// below. Going up, the first level whose share is `baseLevelBytes` or less is the base: L0 is compacted into it, and
/// the levels between are empty. A small tree has one level below L0.
package struct LevelTargets: Sendable {
    package let baseLevel: Int
    package let lastLevel: Int
    /// The target stored bytes by level; 0 for levels above the base.
    package let bytes: [UInt64]

    package init(_ version: Version, _ options: CompactionOptions) {
        lastLevel = version.levels.count - 1
        var targets = [UInt64](repeating: 0, count: version.levels.count)
        var share = version.levels[1...].map(\.storedBytes).max() ?? 0
        var level = lastLevel
        while level > 1, share > options.baseLevelBytes {
            targets[level] = share
            share /= options.fanOut
            level -= 1
        }
        targets[level] = max(share, options.baseLevelBytes)
        // A tree that shrank keeps its highest occupied level as base until that level's data has moved down.
        let occupied = version.levels.firstIndex { $0.level > 0 && !$0.isEmpty } ?? lastLevel
        baseLevel = min(level, occupied)
        if baseLevel < level { for l in baseLevel..<level { targets[l] = 1 } }
        bytes = targets
    }

    /// Returns the stored bytes that have to move down until no level exceeds its target: all of L0 once it has
    /// `l0Trigger` segments, and the excess of each other level above the last.
    package func debt(of version: Version, _ options: CompactionOptions) -> UInt64 {
        let l0 = version.levels[0]
        var debt = l0.segments.count >= options.l0Trigger ? l0.storedBytes : 0
        for level in baseLevel..<lastLevel {
            let stored = version.levels[level].storedBytes
            debt += stored - min(stored, bytes[level])
        }
        return debt
    }
}

/// Jobs of manual compactions.
extension CompactionPicker {
    /// The most stored bytes that one job of a manual compaction reads.
    package var jobBytesMax: UInt64 { options.jobSegmentsMax * options.lastSegmentBytes }

    /// Returns the first wanted segments of a level, as many as one job should move down together.
    package func leadingGroup(
        of level: Int, bytesMax: UInt64? = nil, where isWanted: (Segment) -> Bool = { _ in true }
    ) -> [Segment] {
        let limit = bytesMax ?? jobBytesMax
        var group: [Segment] = []
        var bytes: UInt64 = 0
        for segment in version.levels[level].segments where isWanted(segment) {
            let below = version.levels[level + 1].overlapping(segment.smallestKey, segment.largestKey)
            bytes += segment.metadata.fileBytes + below.reduce(0) { $0 + $1.metadata.fileBytes }
            if !group.isEmpty, bytes > limit { break }
            group.append(segment)
        }
        return group
    }

    /// Returns one job that moves the wanted segments of several levels to the last level, with everything that they
    /// overlap on the way. So each entry is written once instead of once for each level.
    ///
    /// - Returns: nil if the job would exceed `bytesMax`, or if only one level has inputs above the last.
    package func columnJob(bytesMax: UInt64, where isWanted: (Segment) -> Bool) -> CompactionJob? {
        var inputs: [CompactionJob.Input] = []
        var covered: (lower: Bytes, upper: Bytes)?
        let takesL0 = version.levels[0].segments.contains(where: isWanted)
        for level in version.levels {
            let segments = level.segments.filter { segment in
                if level.level == 0 { return takesL0 }
                if let covered, covered.lower <= segment.largestKey, segment.smallestKey <= covered.upper {
                    return true
                }
                return level.level < targets.lastLevel && isWanted(segment)
            }
            inputs.append(CompactionJob.Input(level: level.level, segments: segments))
            for segment in segments {
                let (lower, upper) = covered ?? (segment.smallestKey, segment.largestKey)
                covered = (
                    segment.smallestKey < lower ? segment.smallestKey : lower,
                    upper < segment.largestKey ? segment.largestKey : upper
                )
            }
        }
        guard inputs.dropLast().count(where: { !$0.segments.isEmpty }) > 1 else { return nil }
        let job = CompactionJob(.merge, inputs, outputLevel: targets.lastLevel, isLast: true)
        return isFree(job.segments) && job.inputBytes <= bytesMax ? job : nil
    }
}
