import ShaleBase
import ShaleManifest
package import ShaleSegment

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
        var met: (lower: Bytes, upper: Bytes)?
        let takesL0 = version.levels[0].segments.contains(where: isWanted)
        for level in version.levels {
            let segments = level.segments.filter { segment in
                if level.level == 0 { return takesL0 }
                if let met, met.lower <= segment.largestKey, segment.smallestKey <= met.upper { return true }
                return level.level < targets.lastLevel && isWanted(segment)
            }
            inputs.append(CompactionJob.Input(level: level.level, segments: segments))
            for segment in segments {
                let (lower, upper) = met ?? (segment.smallestKey, segment.largestKey)
                met = (
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
