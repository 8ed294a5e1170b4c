import Posix
import Synchronization

/// A mutex that never moves, with its condition.
@safe
final class Monitor: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe condition = .allocate(capacity: 1)
        unsafe condition.initialize(to: pthread_cond_t())
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(condition, nil)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    func lock() { unsafe pthread_mutex_lock(mutex) }
    func unlock() { unsafe pthread_mutex_unlock(mutex) }
    func wait() { unsafe pthread_cond_wait(condition, mutex) }
    func signal() { unsafe pthread_cond_signal(condition) }
}

/// A place where one thread waits for a word from another: it polls briefly, then sleeps.
final class Parking: Sendable {
    private static let waiting = 0
    private static let sleeping = -1
    private static let spins = 200

    private let word = Atomic<Int>(Parking.waiting)
    private let monitor = Monitor()

    /// Waits for a word above 0 and takes it.
    func wait() -> Int {
        for _ in 0..<Parking.spins {
            if let word = taken() { return word }
        }
        monitor.lock()
        defer { monitor.unlock() }
        let (isAsleep, _) = word.compareExchange(
            expected: Parking.waiting, desired: Parking.sleeping, ordering: .acquiringAndReleasing)
        if isAsleep {
            while word.load(ordering: .acquiring) == Parking.sleeping { monitor.wait() }
        }
        return word.exchange(Parking.waiting, ordering: .acquiring)
    }

    /// Gives the waiter `value`, which is above 0. One word at a time.
    func wake(_ value: Int) {
        guard word.exchange(value, ordering: .acquiringAndReleasing) == Parking.sleeping else { return }
        // The sleeper releases the lock only inside `wait`, so it can't miss the signal.
        monitor.lock()
        monitor.unlock()
        monitor.signal()
    }

    private func taken() -> Int? {
        let value = word.load(ordering: .acquiring)
        guard value > 0 else { return nil }
        word.store(Parking.waiting, ordering: .relaxed)
        return value
    }
}
