package import ShaleBase
import ShalePlatform

/// Changes that wait for one reader: at most `capacity` of them; what comes while it is full becomes one gap, which
/// follows those that wait. Thread-safe. Who lets go of it without ``end()`` leaves it to the hub.
package final class ChangeSubscription: @unchecked Sendable {
    typealias Waiter = CheckedContinuation<ChangeEvent?, Never>

    /// What is left to do when the locks are free.
    struct Wakeup {
        let waiter: Waiter
        let event: ChangeEvent?

        func run() { waiter.resume(returning: event) }
    }

    let filter: ChangeFilter
    /// Changes above this sequence are told.
    package let start: SequenceNumber
    /// Bits of the namespaces that it observes. Under the hub's lock.
    var interest: UInt64 = 0

    private let hub: ChangeHub
    private let capacity: Int
    private let lock = Lock()
    private let changed: Condition
    // Under `lock`.
    private var events: [ChangeEvent?] = []
    private var firstIndex = 0
    private var gap: (from: SequenceNumber, through: SequenceNumber)?
    private var waiters: [Waiter] = []
    private var hasEnded = false

    init(_ filter: ChangeFilter, capacity: Int, start: SequenceNumber, hub: ChangeHub) {
        self.filter = filter
        self.capacity = max(1, capacity)
        self.start = start
        self.hub = hub
        changed = Condition(lock)
    }

    // MARK: The hub's side

    func offer(_ change: ObservedChange) -> Wakeup? {
        lock.withLock {
            guard !hasEnded else { return nil }
            // Who waits has found nothing.
            if !waiters.isEmpty { return Wakeup(waiter: waiters.removeFirst(), event: .change(change)) }
            if gap != nil || events.count - firstIndex >= capacity {
                gap = (gap?.from ?? change.sequence, change.sequence)
            } else {
                events.append(.change(change))
            }
            changed.signal()
            return nil
        }
    }

    func offerGap(from: SequenceNumber, through: SequenceNumber) -> Wakeup? {
        lock.withLock {
            guard !hasEnded, through > start else { return nil }
            let from = max(from, start + 1)
            if !waiters.isEmpty {
                return Wakeup(waiter: waiters.removeFirst(), event: .gap(from: from, through: through))
            }
            gap = (gap?.from ?? from, through)
            changed.signal()
            return nil
        }
    }

    /// What waits is still told; then comes the end.
    func finish() -> [Wakeup] {
        lock.withLock {
            hasEnded = true
            changed.broadcast()
            defer { waiters.removeAll() }
            return waiters.map { Wakeup(waiter: $0, event: nil) }
        }
    }

    var isOver: Bool { lock.withLock { hasEnded } }

    // MARK: The reader's side

    /// The next event if it is there.
    package func poll() -> ChangeEvent? { lock.withLock { take() } }

    /// The next event, waited for on the calling thread; `nil` when none has come in time, or none will come.
    package func next(nanoseconds: UInt64) -> ChangeEvent? {
        let began = SystemTime().monotonicNanoseconds
        return lock.withLock {
            while true {
                if let event = take() { return event }
                let elapsed = SystemTime().monotonicNanoseconds &- began
                guard !hasEnded, elapsed < nanoseconds else { return nil }
                _ = changed.timedWait(nanoseconds: nanoseconds - elapsed)
            }
        }
    }

    /// The next event; `nil` when none will come. Cancelling the task ends the subscription.
    package func next(isolation: isolated (any Actor)?) async -> ChangeEvent? {
        await withTaskCancellationHandler(
            operation: {
                await withCheckedContinuation(isolation: isolation) { (waiter: Waiter) in
                    let known: ChangeEvent?? = lock.withLock {
                        if let event = take() { return .some(event) }
                        if hasEnded { return .some(nil) }
                        waiters.append(waiter)
                        return .none
                    }
                    if let known { waiter.resume(returning: known) }
                }
            }, onCancel: { end() }, isolation: isolation)
    }

    /// Nothing is told any more; who waits gets `nil`. Idempotent.
    package func end() {
        let waiters = lock.withLock {
            let all = self.waiters
            hasEnded = true
            self.waiters = []
            events = []
            firstIndex = 0
            gap = nil
            changed.broadcast()
            return all
        }
        for waiter in waiters { waiter.resume(returning: nil) }
        hub.sweepSoon()
    }

    /// Under `lock`.
    private func take() -> ChangeEvent? {
        if firstIndex < events.count {
            let event = events[firstIndex]
            events[firstIndex] = nil
            firstIndex += 1
            if firstIndex == events.count {
                events.removeAll(keepingCapacity: true)
                firstIndex = 0
            } else if firstIndex >= capacity {
                events.removeFirst(firstIndex)
                firstIndex = 0
            }
            return event
        }
        guard let gap else { return nil }
        self.gap = nil
        return .gap(from: gap.from, through: gap.through)
    }
}
