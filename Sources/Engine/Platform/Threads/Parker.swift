import ShaleBase
import Synchronization

/// A place where one thread waits for a permit that any other thread may give.
///
/// At most one permit is stored: an `unpark` that comes first is not lost, and several count as one. With one parker
/// per thread, a group leader wakes exactly the members that are done; a shared condition variable would wake all.
/// Everything before `unpark` is visible after the `park` that it ends.
///
/// The caller of `unpark` holds a reference until the call returns: the woken thread may release its own before that.
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

    /// Makes a parker.
    ///
    /// - Parameter spinCount: The number of times a waiter checks for the permit before it sleeps. 200 checks take a
    ///   few hundred nanoseconds; a sleep and a wake-up take 7 µs. Use 0 for threads that wait long.
    package init(spinCount: Int = 200) {
        self.spinCount = spinCount
        condition = Condition(lock)
    }

    /// Waits for the permit and takes it. Called by one thread at a time.
    package func park() {
        if spin() { return }
        lock.withLock {
            guard announce() else { return }
            // Acquiring, although the lock is held: `unpark` sets the permit before it takes the lock. For a waiter
            // that sees the permit in between, only this load orders it after `unpark`.
            while state.load(ordering: .acquiring) != State.permit { condition.wait() }
            state.store(State.empty, ordering: .relaxed)
        }
    }

    /// Waits like ``park()``, but at most `nanoseconds`. Returns false if no permit came.
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

    /// Gives the permit, and wakes the waiter if it sleeps.
    package func unpark() {
        SchedulePoint.reach(.parker)
        if PlantedBug.isActive(.loseEarlyPermit), state.load(ordering: .relaxed) != State.parked { return }
        guard state.exchange(State.permit, ordering: .acquiringAndReleasing) == State.parked else { return }
        // The waiter announces itself under the lock and releases the lock only inside `wait`. Once this thread has
        // held the lock, the waiter is not between its check of the state and its sleep, so the signal can't be lost.
        // Signalling after unlocking keeps the woken waiter from waiting for the lock.
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

    /// Marks the waiter as asleep. Returns false if a permit was there, and takes it. The caller holds the lock.
    private func announce() -> Bool {
        let (exchanged, _) = state.compareExchange(
            expected: State.empty, desired: State.parked, ordering: .acquiringAndReleasing)
        if !exchanged { state.store(State.empty, ordering: .relaxed) }
        return exchanged
    }
}
