import Synchronization

/// Where one thread waits for a permit that any other thread may give. One permit at most is stored, so an `unpark`
/// that comes first is not lost; many of them count as one.
///
/// A waiter of its own per thread lets a group leader wake exactly the members that are done, where a shared condition
/// variable would wake everybody. What happened before `unpark` is visible after the `park` that it ends.
///
/// Whoever calls `unpark` holds a reference until the call returns: the woken thread may drop its own before that.
package final class Parker: Sendable {
    private enum State {
        static let empty: UInt32 = 0
        static let permit: UInt32 = 1
        static let parked: UInt32 = 2
    }

    private let state = Atomic<UInt32>(State.empty)
    private let lock = Lock()
    private let condition: Condition

    private let spinCount: Int

    /// `spinCount` is how often a waiter looks before it sleeps: 200 take a few hundred nanoseconds, against 7 µs for a
    /// sleep and a wake-up. 0 suits threads that wait long.
    package init(spinCount: Int = 200) {
        self.spinCount = spinCount
        condition = Condition(lock)
    }

    /// Takes the permit, waiting for it. Called by one thread at a time.
    package func park() {
        if spin() { return }
        lock.withLock {
            guard announce() else { return }
            // Acquiring, although the lock is held: the permit is given before the giver takes the lock, so a waiter
            // that looks in between is ordered behind it by this load alone.
            while state.load(ordering: .acquiring) != State.permit { condition.wait() }
            state.store(State.empty, ordering: .relaxed)
        }
    }

    /// As ``park()``, for at most `nanoseconds`. False when no permit came.
    package func park(nanoseconds: UInt64) -> Bool {
        if spin() { return true }
        return lock.withLock {
            guard announce() else { return true }
            var remaining = nanoseconds
            let start = SystemTime().monotonicNanoseconds
            while state.load(ordering: .relaxed) != State.permit {
                if !condition.timedWait(nanoseconds: remaining) { break }
                let elapsed = SystemTime().monotonicNanoseconds &- start
                remaining = elapsed < nanoseconds ? nanoseconds - elapsed : 0
            }
            return state.exchange(State.empty, ordering: .acquiring) == State.permit
        }
    }

    /// Gives the permit and wakes the waiter if it sleeps.
    package func unpark() {
        SchedulePoint.reach(.parker)
        guard state.exchange(State.permit, ordering: .acquiringAndReleasing) == State.parked else { return }
        // The waiter announced itself under the lock and lets go of it only inside `wait`: once the lock can be had, it
        // is not between its look at the state and its sleep. Signalling without the lock saves it from waking up only
        // to wait for us.
        lock.lock()
        lock.unlock()
        condition.signal()
    }

    private func spin() -> Bool {
        for _ in 0..<spinCount where state.load(ordering: .relaxed) == State.permit {
            return takePermit()
        }
        return false
    }

    private func takePermit() -> Bool {
        state.compareExchange(expected: State.permit, desired: State.empty, ordering: .acquiring).exchanged
    }

    /// Declares the waiter asleep; false when a permit was there, which is then taken. The lock is held.
    private func announce() -> Bool {
        let (exchanged, _) = state.compareExchange(
            expected: State.empty, desired: State.parked, ordering: .acquiringAndReleasing)
        if !exchanged { state.store(State.empty, ordering: .relaxed) }
        return exchanged
    }
}
