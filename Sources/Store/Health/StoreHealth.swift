public import ShaleBase
import ShalePlatform

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Store {
    /// The condition of a store, including errors that no call could throw. See ``Store/health``.
    public struct Health: Sendable {
        /// The operation of a subscript that failed.
        public enum Access: String, Sendable, Hashable {
            case read, write
        }

        /// An error that a subscript could not throw.
        public struct Failure: Sendable {
            public let error: StorageError
            public let access: Access
            /// The namespace's ``Store/Namespace/path``.
            public let path: [String]
            /// The user that the namespace belongs to; `nil` in the common space.
            public let userID: String?
            /// The time of the failure by the store's clock.
            public let date: Date
        }

        /// The number of reads through subscripts that returned a default instead of an error since the store was
        /// opened.
        public let failedReads: Int
        /// The number of writes through subscripts that failed since the store was opened. Their values are not stored.
        public let failedWrites: Int
        /// The newest of these failures, oldest first; at most 16.
        public let failures: [Failure]
        /// The number of failed attempts at background work. The engine retries each one or becomes poisoned.
        public let backgroundFailures: UInt64
        /// True if the log failed. Reads continue; writes throw `.poisoned` until the store is opened again.
        public let isPoisoned: Bool
        /// True if the disk is full.
        ///
        /// Reads, purges and drops continue; writes may throw `.noSpace` until there is space. Writing then resumes by
        /// itself within seconds.
        public let isOutOfSpace: Bool
        /// True if the file system refuses the strongest form of sync: ``Durability/synced`` may not survive a loss of
        /// power.
        public let durabilityIsReduced: Bool

        /// True if nothing has failed.
        public var isGood: Bool {
            failedReads == 0 && failedWrites == 0 && backgroundFailures == 0 && !isPoisoned && !isOutOfSpace
                && !durabilityIsReduced
        }
    }
}

extension Store {
    /// The condition of the store, as a copy.
    ///
    /// - Complexity: O(levels).
    public var health: Store.Health { core.health.report(core.engine.statistics) }
}

/// The log of errors that subscripts could not throw. Thread-safe.
final class HealthLog: Sendable {
    private static let failureMax = 16

    private struct State: Sendable {
        var failedReads = 0
        var failedWrites = 0
        var failures: [Store.Health.Failure] = []
    }

    private let state = Locked(State())

    func record(_ error: StorageError, _ access: Store.Health.Access, in namespace: Store.Namespace) {
        // Stores path and user instead of the namespace: a namespace retains the core, which retains this log.
        let failure = Store.Health.Failure(
            error: error, access: access, path: namespace.path, userID: namespace.space.userID,
            date: Date(millisecondsSince1970: namespace.state.core.engine.wallMilliseconds))
        state.withLock { state in
            switch access {
            case .read: state.failedReads += 1
            case .write: state.failedWrites += 1
            }
            if state.failures.count == HealthLog.failureMax { state.failures.removeFirst() }
            state.failures.append(failure)
        }
    }

    func report(_ statistics: Engine.Statistics) -> Store.Health {
        state.withLock { state in
            Store.Health(
                failedReads: state.failedReads, failedWrites: state.failedWrites, failures: state.failures,
                backgroundFailures: statistics.backgroundFailures, isPoisoned: statistics.isPoisoned,
                isOutOfSpace: statistics.isOutOfSpace,
                durabilityIsReduced: statistics.durabilityIsReduced)
        }
    }
}
