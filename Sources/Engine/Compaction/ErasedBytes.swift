import ShaleBase
import ShaleManifest
package import ShaleSegment

/// The dead part of a segment, computed from its metadata without reading it.
package struct ErasedBytes: Sendable, Equatable {
    /// The stored bytes of entries that are erased or expired for all observers, estimated by their share of the
    /// entries.
    package var storedBytes: UInt64 = 0
    /// True if at least one entry is known to be dead for all observers. Purged entries are known only if all purgeable
    /// entries of a slice are purged.
    package var hasDead = false
    /// True if every entry is dead by truncation or drop. Then the file can be removed whatever lies below it.
    package var isWhollyTruncated = true
    /// True if every entry is dead or a delete, and visible to all observers. Then the file can be removed if nothing
    /// older lies below it. For an observer that began before an entry was written, the entry is a change, even if its
    /// key existed neither before nor after.
    package var isWhollyDead = true

    /// Computes the dead part for the oldest observer: entries that are dead for it are dead for all.
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
