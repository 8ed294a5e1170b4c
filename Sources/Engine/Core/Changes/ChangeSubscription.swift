package import ShaleBase
import ShalePlatform

extension Engine {
    /// Subscribes to the changes of some namespaces from now on. Each change is delivered after it has become visible,
    /// in the order of sequences. See ShaleEngine.docc, "How changes are observed".
    ///
    /// With `reportsExpiry` the subscription also reports entries that expire, which reads the observed entries once.
    package func subscribe(
        to filter: ChangeFilter, capacity: Int, reportsExpiry: Bool = false
    ) throws(StorageError) -> ChangeSubscription {
        guard reportsExpiry else { return try core.changeHub.subscribe(filter, capacity: capacity, nil) }
        let expiries = ObservedExpiries { [weak core] (found) throws(StorageError) in
            guard let core else { throw EngineCore.closedError }
            try core.readExpiries(filter, found)
        }
        let subscription = try core.changeHub.subscribe(filter, capacity: capacity, expiries)
        do throws(StorageError) {
            try expiries.begin()
        } catch {
            subscription.end()
            throw error
        }
        core.changeHub.lookSoon()
        return subscription
    }
}

/// A queue of at most `capacity` changes for one reader. Changes that arrive while the queue is full become one gap,
/// which follows the queued changes. Thread-safe.
///
/// The hub keeps a subscription until ``end()`` is called or the engine closes, even if its reader has released it.
package final class ChangeSubscription: @unchecked Sendable {
    typealias Waiter = CheckedContinuation<ChangeEvent?, Never>

    /// A continuation to resume after the locks are released.
    struct Wakeup {
        let waiter: Waiter
        let event: ChangeEvent?

        func run() { waiter.resume(returning: event) }
    }

    let filter: ChangeFilter
    /// The sequence after which changes are delivered.
    package let start: SequenceNumber
    /// `nil` unless expiries are reported.
    let expiries: ObservedExpiries?
    /// The bits of the observed namespaces. Under the hub's lock.
    var observedMask: UInt64 = 0

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
    /// The sequence of the last change that was offered.
    private var lastOffered: SequenceNumber

    init(
        _ filter: ChangeFilter, capacity: Int, start: SequenceNumber, expiries: ObservedExpiries?, hub: ChangeHub
    ) {
        self.filter = filter
        self.capacity = max(1, capacity)
        self.start = start
        self.expiries = expiries
        lastOffered = start
        self.hub = hub
        changed = Condition(lock)
    }

    // MARK: The hub's side

    func offer(_ change: ObservedChange) -> Wakeup? {
        lock.withLock {
            guard !hasEnded else { return nil }
            lastOffered = change.sequence
            // A waiter implies an empty queue.
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
            guard through > start else { return nil }
            lastOffered = through
            return addGap(from: max(from, start + 1), through: through)
        }
    }

    /// Under `lock`.
    private func addGap(from: SequenceNumber, through: SequenceNumber) -> Wakeup? {
        guard !hasEnded else { return nil }
        if !waiters.isEmpty {
            return Wakeup(waiter: waiters.removeFirst(), event: .gap(from: from, through: through))
        }
        gap = (gap?.from ?? from, through)
        changed.signal()
        return nil
    }

    /// Reports an expiry. It gets the sequence of the change before it: a reader that continues from there misses no
    /// later change.
    func offerExpiry(of key: ExpirySchedule.Key, in name: [UInt8]) -> Wakeup? {
        offer(
            ObservedChange(
                sequence: lock.withLock { lastOffered }, kind: .expired, namespace: key.namespace, name: name,
                key: key.bytes))
    }

    /// Reports that expiries may be missing.
    func offerExpiryGap() -> Wakeup? {
        lock.withLock { addGap(from: lastOffered, through: lastOffered) }
    }

    /// Ends the subscription after its queued events: readers still receive those.
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

    /// Returns the next event if one is queued.
    package func poll() -> ChangeEvent? { lock.withLock { take() } }

    /// Returns the next event, or `nil` if none arrives within `nanoseconds` or none can follow. Blocks the calling
    /// thread.
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

    /// Returns the next event, or `nil` if none can follow. Cancelling the task ends the subscription.
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

    /// Ends the subscription and discards its queued events. Waiting readers get `nil`. Idempotent.
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

    /// Removes the next event from the queue. Under `lock`.
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
