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
        /// The operation of a subscript or property that failed.
        public enum Access: String, Sendable, Hashable {
            case read, write
        }

        /// An error that a subscript or property could not throw.
        public struct Failure: Sendable {
            public let error: StorageError
            public let access: Access
            /// The namespace's ``Store/Namespace/path``.
            public let path: [String]
            /// The user that the namespace belongs to; `nil` in the common space, and if nobody is signed in.
            public let userID: String?
            /// The time of the failure by the store's clock.
            public let date: Date
        }

        /// The number of reads through subscripts and properties that returned a default instead of an error since
        /// the store was opened.
        public let failedReads: Int
        /// The number of writes through subscripts and properties that failed since the store was opened. Their values
        /// are not stored.
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

    /// Records an error of an access that could not throw, to a namespace that belongs to no user yet.
    package func record(_ error: StorageError, _ access: Store.Health.Access, at path: [String]) {
        core.record(error, access, path, user: nil)
    }
}

extension Store.Namespace {
    /// Records an error of an access that could not throw.
    package func record(_ error: StorageError, _ access: Store.Health.Access) {
        // Path and user instead of the namespace: a namespace retains the core, which retains the log.
        state.core.record(error, access, path, user: space.userID)
    }
}

extension StoreCore {
    fileprivate func record(_ error: StorageError, _ access: Store.Health.Access, _ path: [String], user: String?) {
        health.record(
            Store.Health.Failure(
                error: error, access: access, path: path, userID: user,
                date: Date(millisecondsSince1970: engine.wallMilliseconds)))
    }
}

/// The log of errors that subscripts and properties could not throw. Thread-safe.
final class HealthLog: Sendable {
    private static let failureMax = 16

    private struct State: Sendable {
        var failedReads = 0
        var failedWrites = 0
        var failures: [Store.Health.Failure] = []
    }

    private let state = Locked(State())

    func record(_ failure: Store.Health.Failure) {
        state.withLock { state in
            switch failure.access {
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
