import Shale
import ShalePlatform

/// Delivers observed values as fast as a receiver demands them, one at a time and in order. Thread-safe.
///
/// A value is read when it is demanded, so a slow receiver gets the newest one and skips those before it.
final class PacedDelivery<Value: Sendable>: Sendable {
    private struct State {
        /// The number of values that may be delivered; `nil` without a limit.
        var demand: Int? = 0
        var waiter: CheckedContinuation<Bool, Never>?
        var task: Task<Void, Never>?
        var isCancelled = false
    }

    private let state = Locked(State())
    private let values: @Sendable () throws(StorageError) -> Store.Values<Value>
    private let receive: @Sendable (Value) -> Int?
    private let complete: @Sendable (StorageError?) -> Void

    /// - Parameters:
    ///   - values: Begins the observation, at the first demand.
    ///   - receive: Receives a value and returns the number of further ones that it demands; `nil` for all.
    ///   - complete: Called once after the last value, with the error that ended the observation, if one did; not
    ///     called after a cancellation.
    init(
        _ values: @escaping @Sendable () throws(StorageError) -> Store.Values<Value>,
        receive: @escaping @Sendable (Value) -> Int?, complete: @escaping @Sendable (StorageError?) -> Void
    ) {
        self.values = values
        self.receive = receive
        self.complete = complete
    }

    /// Adds to the number of values that may be delivered; `nil` removes the limit.
    func request(_ count: Int?) {
        let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard !state.isCancelled else { return nil }
            add(count, &state)
            if state.task == nil { state.task = Task { await self.run() } }
            guard state.demand != 0 else { return nil }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: true)
    }

    /// Ends the delivery. At most one value that is being delivered meanwhile still arrives.
    func cancel() {
        let (waiter, task) = state.withLock { state in
            state.isCancelled = true
            defer { (state.waiter, state.task) = (nil, nil) }
            return (state.waiter, state.task)
        }
        waiter?.resume(returning: false)
        task?.cancel()
    }

    private func add(_ count: Int?, _ state: inout State) {
        guard let demand = state.demand, let count else { return state.demand = nil }
        let (sum, isLarge) = demand.addingReportingOverflow(max(0, count))
        state.demand = isLarge ? nil : sum
    }

    /// Waits until a value is demanded. Returns false after a cancellation.
    private func waitForDemand() async -> Bool {
        await withCheckedContinuation { waiter in
            let known = state.withLock { state -> Bool? in
                if state.isCancelled { return false }
                guard state.demand == 0 else { return true }
                state.waiter = waiter
                return nil
            }
            if let known { waiter.resume(returning: known) }
        }
    }

    private func run() async {
        do throws(StorageError) {
            var iterator = try values().makeAsyncIterator()
            while await waitForDemand(), let value = try await iterator.next() {
                guard take() else { return }
                let count = receive(value)
                state.withLock { add(count, &$0) }
            }
            finish(nil)
        } catch {
            finish(error)
        }
    }

    /// Takes one value from the demand. Returns false after a cancellation.
    private func take() -> Bool {
        state.withLock { state in
            if let demand = state.demand { state.demand = demand - 1 }
            return !state.isCancelled
        }
    }

    private func finish(_ error: StorageError?) {
        let isFirst = state.withLock { state in
            defer { (state.isCancelled, state.task) = (true, nil) }
            return !state.isCancelled
        }
        if isFirst { complete(error) }
    }
}
