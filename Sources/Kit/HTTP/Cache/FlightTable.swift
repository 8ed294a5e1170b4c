#if HTTP
    import Shale
    import ShaleBase
    import ShalePlatform

    /// The requests in flight. Thread-safe.
    ///
    /// 1. Equal requests share a flight: the first starts it, the others wait for its result.
    /// 2. A waiter whose task is cancelled leaves. The last one that leaves cancels the flight, unless it works in the
    ///    background.
    /// 3. A request that begins after an invalidation shares no flight that began before.
    /// 4. An invalidation of a URL marks each flight that may store a response for it. Such a flight stores nothing:
    ///    see the article "How the cache works".
    final class FlightTable<Value: Sendable>: Sendable {
        typealias Outcome = Result<Value, HTTPCacheError>

        /// Requests with equal keys share a flight.
        struct Key: Hashable, Sendable {
            let request: WideHash
            /// The number of invalidations before the request: no request waits for a flight that began before an
            /// invalidation which the request follows.
            let epoch: UInt64
        }

        private struct Flight {
            let id: UInt64
            let isBackground: Bool
            var waiters: [UInt64: CheckedContinuation<Outcome, Never>] = [:]
            var task: Task<Void, Never>?
        }

        private struct State {
            var flights: [Key: Flight] = [:]
            /// The URLs whose responses are under way, by mark; true after an invalidation.
            var marks: [UInt64: (url: WideHash, isSuperseded: Bool)] = [:]
            /// Waiters that were cancelled before they could wait.
            var cancelled: Set<UInt64> = []
            var lastID: UInt64 = 0
            var epoch: UInt64 = 0

            mutating func nextID() -> UInt64 {
                lastID += 1
                return lastID
            }
        }

        private let state = Locked(State())

        // MARK: Flights

        /// Waits for the flight of a key, and starts it if there is none.
        ///
        /// - Returns: The outcome, and true if this call started the flight.
        func outcome(
            of key: Key, _ start: @escaping @Sendable () async -> Outcome
        ) async -> (outcome: Outcome, isLeader: Bool) {
            let waiter = state.withLock { $0.nextID() }
            let isLeader = Locked(false)
            let outcome = await withTaskCancellationHandler {
                await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
                    let flight: UInt64? = state.withLock { state in
                        guard !state.cancelled.contains(waiter) else { return nil }
                        if state.flights[key] != nil {
                            state.flights[key]?.waiters[waiter] = continuation
                            return 0
                        }
                        let id = state.nextID()
                        state.flights[key] = Flight(id: id, isBackground: false, waiters: [waiter: continuation])
                        return id
                    }
                    guard let flight else { return continuation.resume(returning: .failure(.cancellation)) }
                    guard flight > 0 else { return }
                    isLeader.withLock { $0 = true }
                    run(key, flight, start)
                }
            } onCancel: {
                cancel(waiter, of: key)
            }
            state.withLock { _ = $0.cancelled.remove(waiter) }
            return (outcome, isLeader.withLock { $0 })
        }

        /// Starts a flight that nobody waits for, unless the key has one or `max` work in the background.
        func startInBackground(_ key: Key, max: Int, _ start: @escaping @Sendable () async -> Outcome) {
            let flight: UInt64? = state.withLock { state in
                guard state.flights[key] == nil, state.flights.values.count(where: \.isBackground) < max else {
                    return nil
                }
                let id = state.nextID()
                state.flights[key] = Flight(id: id, isBackground: true)
                return id
            }
            if let flight { run(key, flight, start) }
        }

        private func run(_ key: Key, _ id: UInt64, _ start: @escaping @Sendable () async -> Outcome) {
            let task = Task { finish(key, id, await start()) }
            let isKept = state.withLock { state in
                guard state.flights[key]?.id == id else { return false }
                state.flights[key]?.task = task
                return true
            }
            // The flight has ended, or its waiters have left meanwhile.
            if !isKept { task.cancel() }
        }

        private func finish(_ key: Key, _ id: UInt64, _ outcome: Outcome) {
            let waiters = state.withLock { state -> [CheckedContinuation<Outcome, Never>] in
                guard let flight = state.flights[key], flight.id == id else { return [] }
                state.flights[key] = nil
                return Array(flight.waiters.values)
            }
            for waiter in waiters { waiter.resume(returning: outcome) }
        }

        private func cancel(_ waiter: UInt64, of key: Key) {
            typealias Left = (CheckedContinuation<Outcome, Never>?, Task<Void, Never>?)
            let (continuation, task) = state.withLock { state -> Left in
                guard var flight = state.flights[key], let continuation = flight.waiters.removeValue(forKey: waiter)
                else {
                    state.cancelled.insert(waiter)
                    return (nil, nil)
                }
                let isAbandoned = flight.waiters.isEmpty && !flight.isBackground
                state.flights[key] = isAbandoned ? nil : flight
                return (continuation, isAbandoned ? flight.task : nil)
            }
            task?.cancel()
            continuation?.resume(returning: .failure(.cancellation))
        }

        /// Returns when the flights of the background that have begun have ended.
        func finishBackground() async {
            let tasks = state.withLock { $0.flights.values.filter(\.isBackground).compactMap(\.task) }
            for task in tasks { await task.value }
        }

        /// The number of invalidations so far.
        var epoch: UInt64 {
            state.withLock { state in
                if PlantedBug.isActive(.sendEachTwice) { state.epoch += 1 }
                return state.epoch
            }
        }

        /// The number of flights.
        var count: Int { state.withLock { $0.flights.count } }

        /// The number of calls that wait for flights.
        var waiterCount: Int { state.withLock { $0.flights.values.reduce(0) { $0 + $1.waiters.count } } }

        // MARK: Marks

        /// Begins the request of a response that may be stored for a URL.
        func begin(_ url: WideHash) -> UInt64 {
            state.withLock { state in
                let mark = state.nextID()
                state.marks[mark] = (url, false)
                return mark
            }
        }

        func end(_ mark: UInt64) { state.withLock { _ = $0.marks.removeValue(forKey: mark) } }

        /// True if the URL was invalidated since `begin`.
        func isSuperseded(_ mark: UInt64) -> Bool { state.withLock { $0.marks[mark]?.isSuperseded ?? true } }

        /// Marks the responses for a URL that are under way; those of all URLs for `nil`.
        func supersede(_ url: WideHash?) {
            state.withLock { state in
                if !PlantedBug.isActive(.joinOldFlight) { state.epoch += 1 }
                for (mark, entry) in state.marks where url == nil || entry.url == url {
                    state.marks[mark] = (entry.url, true)
                }
            }
        }
    }

    extension HTTPCacheError {
        static var cancellation: HTTPCacheError { HTTPCacheError(.cancelled, "the task was cancelled") }
    }
#endif
