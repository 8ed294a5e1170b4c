/// What a purge did, or would do.
public struct PurgeReport: Sendable {
    /// Purgeable entries of the scope: removed from the disk by ``Store/purge(_:by:progress:)``, still taking space after
    /// ``Store/purgeNow(_:)``. Counted as they are stored: every version of a key that no compaction has dropped yet.
    public let entries: UInt64
    /// Bytes of the keys and values of those entries, uncompressed.
    public let logicalBytes: UInt64
    /// Bytes of the disk that the store's files take less than before, as `du` shows them: segments, logs, manifests and
    /// reserve.
    ///
    /// It includes what had been dropped, truncated, expired or overwritten before and still took space. What is written
    /// while the purge runs counts against it, so it may be negative. Files that scans or snapshots still read go when
    /// those end. The space of registered paths is apart, in ``outside``. 0 for a purge without its physical part.
    public let returnedBytes: Int64
    /// Whether the figures come from statistics, without anything having been done.
    public let isEstimate: Bool
    /// What was done outside the store: one for each registered path and handler, if the scope was `.all`.
    public internal(set) var outside: [PurgeableReport] = []
    /// What a purge by policy met and left, since it could not be read. The rest was purged.
    public internal(set) var damage = PurgeDamage()
}

/// How far a purge has come.
public struct PurgeProgress: Sendable, Hashable {
    /// What a purge is about; they come in this order, and some may be left out.
    public enum Phase: String, Sendable, Hashable {
        /// By policy: entries that are due are looked for and removed. What goes at once is not told.
        case removing
        /// What was registered besides the store's entries is cleaned up.
        case outside
        /// Disk space is given back.
        case reclaiming
    }

    public let phase: Phase
    /// The share of the stored bytes that has been looked at or needs no look, 0 … 1. Rises.
    public let fraction: Double
    /// How long the rest will take at the speed so far; `nil` while nobody knows.
    public let estimatedRemaining: Duration?
}
