/// The result of a purge: what it did, or in a dry run what it would do.
public struct PurgeReport: Sendable {
    /// The number of purgeable entries of the scope.
    ///
    /// ``Store/purge(_:by:progress:)`` has removed them from disk; after ``Store/purgeNow(_:)`` they still take space.
    /// Counts every stored version of a key that no compaction has dropped yet.
    public let entries: UInt64
    /// The uncompressed bytes of the keys and values of those entries.
    public let logicalBytes: UInt64
    /// The bytes of disk by which the store's files have shrunk, as `du` shows them: segments, logs, manifests and
    /// reserve.
    ///
    /// It includes the space of entries that had been dropped, truncated, expired or overwritten before. Writes during
    /// the purge count against it, so it may be negative. Files that scans or snapshots still read are removed when
    /// those end. ``outside`` counts the space of registered paths separately. 0 for ``Store/purgeNow(_:)``, which has
    /// no physical part.
    public let returnedBytes: Int64
    /// True if the figures are estimates from statistics.
    public let isEstimate: Bool
    /// The results outside the store, one for each registered path and handler, if the scope was `.all`.
    public internal(set) var outside: [PurgeableReport] = []
    /// The damage that a purge by policy met and could not read. Everything else was purged.
    public internal(set) var damage = PurgeDamage()
}

/// The progress of a purge.
public struct PurgeProgress: Sendable, Hashable {
    /// The phases of a purge, in their order. Some may be left out.
    public enum Phase: String, Sendable, Hashable {
        /// Purge by policy: finds and removes the entries that are due. The instant removal by `.everything` has no
        /// phase.
        case removing
        /// Cleans up registered paths and handlers.
        case outside
        /// Frees disk space.
        case reclaiming
    }

    public let phase: Phase
    /// The fraction of the work that is done, 0 … 1. Never falls.
    public let fraction: Double
    /// The estimated time for the rest at the speed so far; `nil` if unknown.
    public let estimatedRemaining: Duration?
}
