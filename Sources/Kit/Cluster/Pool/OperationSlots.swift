import ShalePlatform

/// The slots of operations in flight: at most a number of them at once. Others wait in order, without a thread.
/// Thread-safe.
package final class OperationSlots: Sendable {
    private struct State: Sendable {
        var free: Int
        var isClosed = false
        var waiting: [CheckedContinuation<Bool, Never>] = []
        var first = 0
        /// Resumed once all slots are free.
        var draining: [CheckedContinuation<Void, Never>] = []
    }

    private let count: Int
    private let state: Locked<State>

    package init(_ count: Int) {
        self.count = count
        state = Locked(State(free: count))
    }

    /// The number of operations in flight.
    package var inFlight: Int { count - state.withLock { $0.free } }

    /// Takes a slot. Returns false once the slots are closed.
    package nonisolated(nonsending) func take() async -> Bool {
        if let taken = takeAtOnce() { return taken }
        return await withCheckedContinuation { continuation in
            let taken = state.withLock { state -> Bool? in
                if state.isClosed { return false }
                if state.free > 0 {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return nil
            }
            if let taken { continuation.resume(returning: taken) }
        }
    }

    private func takeAtOnce() -> Bool? {
        state.withLock { state in
            if state.isClosed { return false }
            guard state.free > 0 else { return nil }
            state.free -= 1
            return true
        }
    }

    /// Gives a slot back, or passes it to the caller that has waited longest.
    package func giveBack() {
        let (next, drained) = state.withLock {
            state -> (CheckedContinuation<Bool, Never>?, [CheckedContinuation<Void, Never>]) in
            if state.first < state.waiting.count {
                let next = state.waiting[state.first]
                state.first += 1
                if state.first > 64, state.first * 2 > state.waiting.count {
                    state.waiting.removeFirst(state.first)
                    state.first = 0
                }
                return (next, [])
            }
            state.free += 1
            guard state.isClosed, state.free == count else { return (nil, []) }
            defer { state.draining = [] }
            return (nil, state.draining)
        }
        next?.resume(returning: true)
        for continuation in drained { continuation.resume() }
    }

    /// Refuses new operations and those that wait, and returns when none is in flight.
    package nonisolated(nonsending) func close() async {
        let refused = state.withLock { state -> ArraySlice<CheckedContinuation<Bool, Never>> in
            state.isClosed = true
            defer {
                state.waiting = []
                state.first = 0
            }
            return state.waiting[state.first...]
        }
        for continuation in refused { continuation.resume(returning: false) }
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.free < count { state.draining.append(continuation) }
                return state.free == count
            }
            if isFree { continuation.resume() }
        }
    }
}
