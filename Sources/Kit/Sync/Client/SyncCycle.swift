import ShalePlatform

/// The cycle that runs, which callers share.
final class SyncCycle: Sendable {
    private typealias Work = Task<Result<Void, SyncError>, Never>

    private struct State: Sendable {
        var task: Work?
        var number = 0
        var hasEnded = false
    }

    private let state = Locked(State())

    /// Runs `body` from its beginning, alone or together with other callers.
    ///
    /// A cycle that has begun before the call may have passed the caller's changes. So the call waits for its end, and
    /// shares the next one.
    func run(_ body: @escaping @Sendable () async -> Result<Void, SyncError>) async -> Result<Void, SyncError> {
        let (earlier, number) = state.withLock { ($0.task, $0.number) }
        if let earlier { _ = await CancellingWait.value(of: earlier) }
        let task = state.withLock { state -> Work? in
            guard !state.hasEnded else { return nil }
            if let task = state.task, state.number > number { return task }
            state.number += 1
            let own = state.number
            let task = Task {
                let result = await body()
                // An ended cycle is not shared.
                self.state.withLock { if $0.number == own { $0.task = nil } }
                return result
            }
            state.task = task
            return task
        }
        guard let task else {
            return .failure(SyncError(.signedOut, "the synchronisation of this space has ended"))
        }
        return await CancellingWait.value(of: task)
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

/// A wait for a task that is cancelled with the one that waits.
private enum CancellingWait {
    static func value<Value: Sendable>(of task: Task<Value, Never>) async -> Value {
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
