import ShalePlatform

/// The uses of a cluster by the tests of this process. Tests use it beside one another, except for a test that fills
/// it: the writes of others would fail as `.noSpace` meanwhile.
///
/// Uses begin in order, so a test that waits to be alone waits for those that have begun. A test connects within a use
/// only, which `ClusterFixture.open` checks. Uses are not nested.
final class ClusterUse: Sendable {
    private struct Waiting: Sendable {
        let isAlone: Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State: Sendable {
        var users = 0
        var isAlone = false
        var waiting: [Waiting] = []

        /// Begins a use if none is against it.
        mutating func begin(alone: Bool) -> Bool {
            guard !isAlone, !alone || users == 0 else { return false }
            users += 1
            isAlone = alone
            return true
        }
    }

    /// The uses of the cluster that the environment names.
    static let ofCluster = ClusterUse()

    /// True in a task of a test that uses the cluster.
    @TaskLocal static var hasBegun = false

    private let state = Locked(State())

    /// The number of uses that wait.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs `body` as a use of the cluster, beside others or alone.
    func with<R>(alone: Bool = false, _ body: () async throws -> R) async throws -> R {
        await begin(alone: alone)
        defer { end() }
        return try await ClusterUse.$hasBegun.withValue(true) { try await body() }
    }

    private func begin(alone: Bool) async {
        await withCheckedContinuation { continuation in
            let hasBegun = state.withLock { state in
                if state.waiting.isEmpty, state.begin(alone: alone) { return true }
                state.waiting.append(Waiting(isAlone: alone, continuation: continuation))
                return false
            }
            if hasBegun { continuation.resume() }
        }
    }

    private func end() {
        let next = state.withLock { state in
            state.users -= 1
            state.isAlone = false
            var next: [Waiting] = []
            while let first = state.waiting.first, state.begin(alone: first.isAlone) {
                next.append(state.waiting.removeFirst())
            }
            return next
        }
        for one in next { one.continuation.resume() }
    }
}
