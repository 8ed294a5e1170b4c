import Synchronization

/// Figures of a connection to a cluster since it was opened.
public struct ClusterStatistics: Sendable, Hashable {
    /// The number of reads: of entries, pages and headers. Entries of a shard that several tasks read at once are sent
    /// together.
    public internal(set) var reads = 0
    /// The number of writes sent, with those that were sent again.
    public internal(set) var writes = 0
    /// The number of writes that another client's change made fail, and that were sent again with the new state or
    /// given up as a conflict.
    public internal(set) var overtaken = 0
    /// The number of operations without an answer in time.
    public internal(set) var timeouts = 0
    /// The number of operations that failed otherwise, without those that were cancelled.
    public internal(set) var failures = 0
}

/// Counts operations. Thread-safe.
final class ClusterCounters: Sendable {
    enum Operation {
        case read
        case write
    }

    private let reads = Atomic(0)
    private let writes = Atomic(0)
    private let overtaken = Atomic(0)
    private let timeouts = Atomic(0)
    private let failures = Atomic(0)

    func note(_ operation: Operation) {
        switch operation {
        case .read: reads.add(1, ordering: .relaxed)
        case .write: writes.add(1, ordering: .relaxed)
        }
    }

    func note(_ failure: PoolFailure) {
        switch failure.kind {
        case .differs, .exists: overtaken.add(1, ordering: .relaxed)
        case .timedOut: timeouts.add(1, ordering: .relaxed)
        case .cancelled: break
        default: failures.add(1, ordering: .relaxed)
        }
    }

    var statistics: ClusterStatistics {
        var statistics = ClusterStatistics()
        statistics.reads = reads.load(ordering: .relaxed)
        statistics.writes = writes.load(ordering: .relaxed)
        statistics.overtaken = overtaken.load(ordering: .relaxed)
        statistics.timeouts = timeouts.load(ordering: .relaxed)
        statistics.failures = failures.load(ordering: .relaxed)
        return statistics
    }
}
