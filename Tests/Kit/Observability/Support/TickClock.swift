#if Logging && Metrics && Tracing && ServiceLifecycle
    import ShalePlatform

    /// A clock with one sleeper, whose sleep ends when the test says so. Thread-safe.
    final class TickClock: Clock, Sendable {
        struct Instant: InstantProtocol {
            var offset = Duration.zero

            func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
            func duration(to other: Instant) -> Duration { other.offset - offset }
            static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
        }

        private struct State: Sendable {
            var now = Instant()
            var sleeper: (deadline: Instant, continuation: CheckedContinuation<Void, any Error>)?
            var isCancelled = false
            var waiters: [CheckedContinuation<Void, Never>] = []
        }

        private let state = Locked(State())

        var now: Instant { state.withLock { $0.now } }
        var minimumResolution: Duration { .nanoseconds(1) }

        func sleep(until deadline: Instant, tolerance: Duration?) async throws {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                    let (isCancelled, waiters) = state.withLock { state in
                        if !state.isCancelled { state.sleeper = (deadline, continuation) }
                        defer { state.waiters = [] }
                        return (state.isCancelled, state.waiters)
                    }
                    if isCancelled { continuation.resume(throwing: CancellationError()) }
                    for waiter in waiters { waiter.resume() }
                }
            } onCancel: {
                let (sleeper, waiters) = state.withLock { state in
                    state.isCancelled = true
                    defer { (state.sleeper, state.waiters) = (nil, []) }
                    return (state.sleeper, state.waiters)
                }
                sleeper?.continuation.resume(throwing: CancellationError())
                for waiter in waiters { waiter.resume() }
            }
        }

        /// Ends one sleep, and returns when the sleeper sleeps again.
        func tick() async {
            await sleeper()
            let sleeper = state.withLock { state in
                defer { state.sleeper = nil }
                if let deadline = state.sleeper?.deadline { state.now = deadline }
                return state.sleeper
            }
            sleeper?.continuation.resume()
            await self.sleeper()
        }

        /// Returns when the sleeper sleeps, or will never sleep again.
        private func sleeper() async {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    guard state.sleeper == nil, !state.isCancelled else { return true }
                    state.waiters.append(continuation)
                    return false
                }
                if isReady { continuation.resume() }
            }
        }
    }
#endif
