import ShaleBase
import ShaleManifest
package import ShaleSegment

/// The dead part of a segment, computed from its metadata without reading it.
package struct ErasedBytes: Sendable, Equatable {
    /// The stored bytes of entries that are erased or expired for all read points, estimated by their share of the
    /// entries.
    package var storedBytes: UInt64 = 0
    /// True if at least one entry is known to be dead for all read points. Purged entries are known only if all
    /// purgeable entries of a slice are purged.
    package var hasDead = false
    /// True if every entry is dead by truncation or drop. Then the file can be removed whatever lies below it.
    package var isWhollyTruncated = true
    /// True if every entry is dead or a delete, and visible to all read points. Then the file can be removed if nothing
    /// older lies below it. For a read point that began before an entry was written, the entry is a change, even if its
    /// key existed neither before nor after.
    package var isWhollyDead = true

    /// Computes the dead part for the oldest read point: entries that are dead for it are dead for all.
    package init(_ metadata: SegmentMetadata, _ horizon: Horizon) {
        for slice in metadata.slices {
            let erasure = horizon.erasure(of: slice.namespace)
            let truncated = erasure.truncatedThrough(at: horizon.oldestSequence)
            if erasure.isDropped || slice.maxSequence <= truncated {
                storedBytes += slice.storedBytes
                hasDead = true
                continue
            }
            isWhollyTruncated = false
            if slice.maxSequence > horizon.oldestSequence { isWhollyDead = false }
            if slice.minSequence <= truncated { hasDead = true }
            if slice.expirableCount > 0, slice.minExpiry <= horizon.oldestWallMilliseconds { hasDead = true }
            var dead: UInt64 = 0
            let purged = erasure.purgedThrough(at: horizon.oldestSequence)
            if slice.purgeableCount > 0, slice.maxPurgeableSequence <= max(purged, truncated) {
                dead = slice.purgeableCount
            }
            if slice.expirableCount > 0, slice.maxExpiry <= horizon.oldestWallMilliseconds {
                dead = max(dead, slice.expirableCount)
            }
            if dead > 0 { hasDead = true }
            if dead + slice.deleteCount < slice.entryCount { isWhollyDead = false }
            if slice.entryCount > 0 { storedBytes += slice.storedBytes / slice.entryCount * dead }
        }
    }
}

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
