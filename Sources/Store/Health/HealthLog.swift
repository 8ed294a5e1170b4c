import ShaleBase
import ShalePlatform

/// The log of errors that subscripts could not throw. Thread-safe.
final class HealthLog: Sendable {
    private static let failureMax = 16

    private struct State: Sendable {
        var failedReads = 0
        var failedWrites = 0
        var failures: [StoreHealth.Failure] = []
    }

    private let state = Guarded(State())

    func record(_ error: StorageError, _ access: StoreHealth.Access, in namespace: Namespace) {
        // Stores path and user instead of the namespace: a namespace retains the core, which retains this log.
        let failure = StoreHealth.Failure(
            error: error, access: access, path: namespace.path, userID: namespace.space.userID,
            milliseconds: namespace.state.core.engine.wallMilliseconds)
        state.withLock { state in
            switch access {
            case .read: state.failedReads += 1
            case .write: state.failedWrites += 1
            }
            if state.failures.count == HealthLog.failureMax { state.failures.removeFirst() }
            state.failures.append(failure)
        }
    }

    func report(_ statistics: EngineStatistics) -> StoreHealth {
        state.withLock { state in
            StoreHealth(
                failedReads: state.failedReads, failedWrites: state.failedWrites, failures: state.failures,
                backgroundFailures: statistics.backgroundFailures, isPoisoned: statistics.isPoisoned,
                isOutOfSpace: statistics.isOutOfSpace,
                durabilityIsReduced: statistics.durabilityIsReduced)
        }
    }
}
