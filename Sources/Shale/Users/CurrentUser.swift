import ShalePlatform

/// Who is signed in, and who wants to know when that changes. Thread-safe: changes happen one after the other, and every
/// stream gets all of them in that order.
final class CurrentUser: Sendable {
    private struct State: Sendable {
        var id: String?
        var lastListener = 0
        var listeners: [Int: AsyncStream<UserEvent>.Continuation] = [:]
    }

    private let state = Guarded(State())

    deinit { for listener in state.withLock({ $0.listeners.values }) { listener.finish() } }

    var id: String? { state.withLock { $0.id } }

    func change(to id: String?) {
        state.withLock { state in
            let event: UserEvent
            switch (state.id, id) {
            case (nil, nil): return
            case (nil, let new?): event = .signedIn(new)
            case (let old?, nil): event = .signedOut(old)
            // Two ids are the same user when their UTF-8 is; `==` also says so of texts that only look the same.
            case (let old?, let new?):
                event = old.utf8.elementsEqual(new.utf8) ? .renewed(new) : .switched(from: old, to: new)
            }
            state.id = id
            // Under the lock: the order of events is that of the changes. A continuation only buffers.
            for listener in state.listeners.values { listener.yield(event) }
        }
    }

    func events() -> AsyncStream<UserEvent> {
        let (stream, continuation) = AsyncStream<UserEvent>.makeStream(bufferingPolicy: .unbounded)
        let number = state.withLock { state in
            state.lastListener += 1
            state.listeners[state.lastListener] = continuation
            return state.lastListener
        }
        continuation.onTermination = { [weak self] _ in
            // Let go of outside the lock: its end may run code of the stream's.
            let gone = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
            withExtendedLifetime(gone) {}
        }
        return stream
    }
}
