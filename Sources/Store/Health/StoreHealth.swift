public import ShaleBase

/// Whether a store is well, and what went wrong where no call could say so: see ``Store/health``.
public struct StoreHealth: Sendable {
    /// What a subscript was doing.
    public enum Access: String, Sendable, Hashable {
        case read, write
    }

    /// An error that a subscript could not throw.
    public struct Failure: Sendable {
        public let error: StorageError
        public let access: Access
        /// The namespace's ``Namespace/path``, and the user it belongs to; `nil` in the common space.
        public let path: [String]
        public let userID: String?
        /// By the store's clock, in milliseconds since 1970.
        public let milliseconds: Int64
    }

    /// Reads through subscripts that gave a default in place of an error, since the store was opened.
    public let failedReads: Int
    /// Writes through subscripts that are not there, since the store was opened.
    public let failedWrites: Int
    /// The newest of these failures, oldest first; at most 16.
    public let failures: [Failure]
    /// Failed attempts at work in the background, all of which are made again or poison the engine.
    public let backgroundFailures: UInt64
    /// The log failed: reads go on, writes throw `.poisoned` until the store is opened again.
    public let isPoisoned: Bool
    /// The disk is full: reads, purges and drops go on, writes may throw `.noSpace` until there is space. Writing then resumes
    /// by itself, within seconds.
    public let isOutOfSpace: Bool
    /// The file system refuses the strongest synchronisation: ``Durability/synced`` may not outlast a loss of power.
    public let durabilityIsReduced: Bool

    /// Nothing failed.
    public var isGood: Bool {
        failedReads == 0 && failedWrites == 0 && backgroundFailures == 0 && !isPoisoned && !isOutOfSpace
            && !durabilityIsReduced
    }
}

extension Store {
    /// Whether the store is well. A copy; O(levels).
    public var health: StoreHealth { core.health.report(core.engine.statistics) }
}
