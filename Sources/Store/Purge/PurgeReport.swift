public import ShaleBase

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

/// The damage that a purge by policy met. The affected entries stay in the store.
public struct PurgeDamage: Sendable {
    /// The maximum number of errors kept.
    private static let errorsMax = 16

    /// The number of values whose header does not show their time of writing, plus the number of namespaces whose run
    /// ended at damage.
    public private(set) var count = 0
    /// The first errors, at most 16. They name file and offset if a file is damaged, and never a key or a value.
    public private(set) var errors: [StorageError] = []

    mutating func note(_ error: StorageError) {
        count += 1
        if errors.count < PurgeDamage.errorsMax { errors.append(error) }
    }

    mutating func add(_ other: PurgeDamage) {
        count += other.count
        errors += other.errors.prefix(PurgeDamage.errorsMax - errors.count)
    }
}

/// The statistics of the purgeable entries of some namespaces. They count stored versions, so they are exact only while
/// nothing is written.
struct PurgeableStatistics {
    var entries: UInt64 = 0
    var rawBytes: UInt64 = 0
    /// The estimated bytes of segments that these entries take.
    var storedBytes: Double = 0

    mutating func add(_ part: NamespaceStatistics) {
        entries += part.purgeable
        rawBytes += part.purgeableRawBytes
        if part.rawBytes > 0 {
            storedBytes += Double(part.storedBytes) * Double(part.purgeableRawBytes) / Double(part.rawBytes)
        }
    }

    /// Returns a report of what has been removed since `earlier`.
    func report(since earlier: PurgeableStatistics, returnedBytes: Int64) -> PurgeReport {
        PurgeReport(
            entries: earlier.entries - min(entries, earlier.entries),
            logicalBytes: earlier.rawBytes - min(rawBytes, earlier.rawBytes), returnedBytes: returnedBytes,
            isEstimate: false)
    }
}

extension StoreCore {
    /// The bytes of disk that the store takes now, as `du` counts them. The difference of two values is what a purge
    /// has freed.
    var diskBytes: Int64 {
        get throws(StorageError) { Int64(clamping: try engine.allocatedBytes) }
    }

    /// O(namespaces of the scope × segments).
    func purgeableStatistics(_ scope: PurgeScope) throws(StorageError) -> PurgeableStatistics {
        try requireOpen()
        var figures = PurgeableStatistics()
        for namespace in try descriptions(in: scope) {
            do throws(StorageError) {
                figures.add(try engine.statistics(of: namespace.id))
            } catch {
                // A namespace dropped meanwhile has nothing left to purge.
                guard error.code == .namespaceDropped else { throw error }
            }
        }
        return figures
    }
}
