import ShaleBase
import ShaleManifest
package import ShaleSegment

extension CompactionPicker {
    /// Returns a job that drops fully dead segments of all levels in one edit, as many as an edit on a full disk has
    /// room for. Each can be dropped independently of the others.
    package func dropJob() -> CompactionJob? {
        var inputs: [CompactionJob.Input] = []
        var room = CompactionPicker.droppedMax
        for level in version.levels {
            let dead = level.segments.lazy.filter { canDrop($0, level: level.level) }.prefix(room)
            inputs.append(CompactionJob.Input(level: level.level, segments: Array(dead)))
            room -= inputs[inputs.count - 1].segments.count
        }
        let job = CompactionJob(.drop, inputs, outputLevel: 0, isLast: false)
        return job.inputs.isEmpty ? nil : job
    }

    /// Each takes 16 bytes: together a quarter of the space that the manifest keeps ahead of its end.
    private static let droppedMax = 512

    /// True if the segment can be dropped without being read.
    ///
    /// A purged or expired entry hides older versions like a tombstone, so the segment may be dropped only if none lie
    /// below it. A truncated or dropped entry hides only entries under the same watermark.
    private func canDrop(_ segment: Segment, level: Int) -> Bool {
        guard !busy.contains(segment.number) else { return false }
        let erased = ErasedBytes(segment.metadata, horizon)
        if erased.isWhollyTruncated { return true }
        return erased.isWhollyDead
            && !olderSegments(than: segment, level: level).mayHold(segment.smallestKey, segment.largestKey)
    }

    private func olderSegments(than segment: Segment, level: Int) -> OlderSegments {
        guard level == 0 else { return OlderSegments(below: level, of: version) }
        let older = version.levels[0].segments.drop { $0.number != segment.number }.dropFirst()
        return OlderSegments(below: 0, of: version, loose: Array(older))
    }

    /// Returns a job that rewrites the segment with the most dead bytes without them.
    func erasureJob() -> CompactionJob? {
        var best: (bytes: UInt64, level: Int, segment: Segment)?
        for level in version.levels {
            for segment in level.segments where !busy.contains(segment.number) {
                let dead = ErasedBytes(segment.metadata, horizon).storedBytes
                guard dead >= options.erasedBytesMin,
                    Double(dead) >= options.erasedShareMin * Double(segment.metadata.fileBytes), dead > best?.bytes ?? 0
                else { continue }
                best = (dead, level.level, segment)
            }
        }
        return best.map { rewriteJob($0.segment, level: $0.level) }
    }

    /// Returns a job that rewrites one segment in its own level.
    package func rewriteJob(_ segment: Segment, level: Int) -> CompactionJob {
        CompactionJob(
            .rewrite, [CompactionJob.Input(level: level, segments: [segment])], outputLevel: level,
            isLast: level == targets.lastLevel, older: olderSegments(than: segment, level: level))
    }

    /// Returns a job that merges down a segment full of deletes. Above the last level, deletes hide entries without
    /// freeing them.
    func tombstoneJob() -> CompactionJob? {
        for level in max(1, targets.baseLevel)..<targets.lastLevel {
            for segment in version.levels[level].segments where !busy.contains(segment.number) {
                let metadata = segment.metadata
                guard Double(metadata.deleteCount) >= options.tombstoneShareMin * Double(max(1, metadata.entryCount))
                else { continue }
                if let job = mergeJob(level: level, [segment], into: level + 1) { return job }
            }
        }
        return nil
    }
}
