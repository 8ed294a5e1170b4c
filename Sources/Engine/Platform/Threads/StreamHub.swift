/// Sends elements to every stream that was taken from it and is still read. The streams end with the hub.
///
/// Thread-safe. Streams get elements in the order in which they are sent; callers that need an order among threads send
/// under a lock of their own.
package final class StreamHub<Element: Sendable>: Sendable {
    private struct State: Sendable {
        var lastID = 0
        var continuations: [Int: AsyncStream<Element>.Continuation] = [:]
    }

    private let policy: AsyncStream<Element>.Continuation.BufferingPolicy
    private let state = Locked(State())

    /// Makes a hub whose streams buffer unread elements by `policy`.
    package init(_ policy: AsyncStream<Element>.Continuation.BufferingPolicy) { self.policy = policy }

    deinit { for continuation in state.withLock({ $0.continuations.values }) { continuation.finish() } }

    /// Returns a stream of all elements that are sent from now on.
    package func stream() -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream<Element>.makeStream(bufferingPolicy: policy)
        let id = state.withLock { state in
            state.lastID += 1
            state.continuations[state.lastID] = continuation
            return state.lastID
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
