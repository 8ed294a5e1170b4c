import ShalePlatform

/// The cycle that runs, which all callers share.
final class SyncCycle: Sendable {
    private typealias Work = Task<Result<Void, SyncError>, Never>

    private struct State: Sendable {
        var task: Work?
        var number = 0
        var hasEnded = false
    }

    private let state = Locked(State())

    /// Runs `body`, or waits for the one that runs.
    func run(_ body: @escaping @Sendable () async -> Result<Void, SyncError>) async -> Result<Void, SyncError> {
        let joined = state.withLock { state -> (task: Work, number: Int)? in
            guard !state.hasEnded else { return nil }
            if let task = state.task { return (task, state.number) }
            state.number += 1
            let task = Task { await body() }
            state.task = task
            return (task, state.number)
        }
        guard let (task, number) = joined else {
            return .failure(SyncError(.signedOut, "the synchronisation of this space has ended"))
        }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        state.withLock { if $0.number == number { $0.task = nil } }
        return result
    }

    /// Cancels the cycle that runs, waits for its end, and refuses later ones.
    func end() async {
        let task = state.withLock { state in
            state.hasEnded = true
            return state.task
        }
        task?.cancel()
        _ = await task?.value
    }
}
