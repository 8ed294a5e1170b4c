import ShaleBase
import ShaleManifest
package import ShaleSegment

/// How much of a segment is dead, from its directory alone: nothing is read.
package struct ErasedBytes: Sendable, Equatable {
    /// Stored bytes whose entries are erased or expired for everybody, estimated by the share of entries.
    package var storedBytes: UInt64 = 0
    /// Some entry is known to be dead for everybody, however few they are. Purged ones are only known when all purgeable
    /// entries of a slice are.
    package var hasDead = false
    /// Every entry is dead by truncation or drop: the file can go whatever lies below it.
    package var isWhollyTruncated = true
    /// Every entry is dead or a delete, and known to all observers: the file can go when nothing older lies below it. For
    /// whoever began earlier, what was written since is a change, even where nothing was there before and nothing is left.
    package var isWhollyDead = true

    /// `oldestSequence` and `oldestWallMilliseconds` belong to the oldest observer: what is dead for it is dead for all.
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
