/// Sends elements to every stream that was taken from it and is still read. The streams end with ``finish()``, or with
/// the hub.
///
/// Thread-safe. Streams get elements in the order in which they are sent; callers that need an order among threads send
/// under a lock of their own.
package final class StreamHub<Element: Sendable>: Sendable {
    private struct State: Sendable {
        var lastID = 0
        var continuations: [Int: AsyncStream<Element>.Continuation] = [:]
        var isFinished = false
    }

    private let policy: AsyncStream<Element>.Continuation.BufferingPolicy
    private let state = Locked(State())

    /// Makes a hub whose streams buffer unread elements by `policy`.
    package init(_ policy: AsyncStream<Element>.Continuation.BufferingPolicy) { self.policy = policy }

    deinit { finish() }

    /// Ends all streams, after the elements that they have not delivered yet. Later streams are empty.
    package func finish() {
        let continuations = state.withLock { state in
            state.isFinished = true
            defer { state.continuations = [:] }
            return state.continuations.values
        }
        for continuation in continuations { continuation.finish() }
    }

    /// Returns a stream of all elements that are sent from now on.
    package func stream() -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream<Element>.makeStream(bufferingPolicy: policy)
        let known = state.withLock { state -> Int? in
            guard !state.isFinished else { return nil }
            state.lastID += 1
            state.continuations[state.lastID] = continuation
            return state.lastID
        }
        guard let id = known else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            // Released outside the lock: its end may run code of the stream's reader.
            let gone = self?.state.withLock { $0.continuations.removeValue(forKey: id) }
            withExtendedLifetime(gone) {}
        }
        return stream
    }

    package func send(_ element: Element) {
        for continuation in state.withLock({ Array($0.continuations.values) }) { continuation.yield(element) }
    }
}
