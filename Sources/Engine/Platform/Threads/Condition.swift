#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif
/// A condition variable bound to one ``Lock``. Waits may return spuriously, so callers loop over their predicate.
@safe
package final class Condition: @unchecked Sendable {
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private let lock: Lock

    package init(_ lock: Lock) {
        self.lock = lock
        unsafe condition = .allocate(capacity: 1)
        unsafe condition.initialize(to: pthread_cond_t())
        #if canImport(Darwin)
            unsafe pthread_cond_init(condition, nil)
        #else
            // Uses the monotonic clock: a change of the wall clock must not affect timeouts.
            var attributes = pthread_condattr_t()
            unsafe pthread_condattr_init(&attributes)
            unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            unsafe pthread_cond_init(condition, &attributes)
            unsafe pthread_condattr_destroy(&attributes)
        #endif
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe condition.deinitialize(count: 1)
        unsafe condition.deallocate()
    }

    #if SHALE_WAITS
        /// Releases the lock, which the caller holds, waits for a signal, and reacquires the lock.
        package func wait(_ file: StaticString = #fileID, _ line: UInt = #line) {
            ThreadWaits.during(.condition, UInt(bitPattern: unsafe condition), file, line) { block() }
            lock.noteHolder()
        }

        /// Waits like ``wait()``, but at most `nanoseconds`. Returns false on timeout.
        package func timedWait(
            nanoseconds: UInt64, _ file: StaticString = #fileID, _ line: UInt = #line
        ) -> Bool {
            defer { lock.noteHolder() }
            return ThreadWaits.during(.condition, UInt(bitPattern: unsafe condition), file, line) {
                block(nanoseconds: nanoseconds)
            }
        }
    #else
        /// Releases the lock, which the caller holds, waits for a signal, and reacquires the lock.
        package func wait() { block() }

        /// Waits like ``wait()``, but at most `nanoseconds`. Returns false on timeout.
        package func timedWait(nanoseconds: UInt64) -> Bool { block(nanoseconds: nanoseconds) }
    #endif

    private func block() {
        #if SHALE_SCHEDULES
            if let scheduler = ThreadScheduler.current {
                _ = wait(nil, scheduler)
                return
            }
        #endif
        unsafe pthread_cond_wait(condition, lock.mutex)
    }

    private func block(nanoseconds: UInt64) -> Bool {
        #if SHALE_SCHEDULES
            if let scheduler = ThreadScheduler.current { return wait(nanoseconds, scheduler) }
        #endif
        // Caps the wait at one year, so that the sums below can't overflow.
        let bounded = min(nanoseconds, 31_536_000_000_000_000)
        let seconds = Int(bounded / 1_000_000_000)
        let rest = Int(bounded % 1_000_000_000)
        #if canImport(Darwin)
            var relative = timespec(tv_sec: seconds, tv_nsec: rest)
            return unsafe pthread_cond_timedwait_relative_np(condition, lock.mutex, &relative) != ETIMEDOUT
        #else
            var deadline = timespec()
            unsafe clock_gettime(CLOCK_MONOTONIC, &deadline)
            let sum = Int(deadline.tv_nsec) + rest
            deadline.tv_sec += time_t(seconds + sum / 1_000_000_000)
            deadline.tv_nsec = sum % 1_000_000_000
            return unsafe pthread_cond_timedwait(condition, lock.mutex, &deadline) != ETIMEDOUT
        #endif
    }

    package func signal() {
        #if SHALE_SCHEDULES
            if let scheduler = ThreadScheduler.current { return scheduler.notify(identity, all: false) }
        #endif
        unsafe pthread_cond_signal(condition)
    }

    package func broadcast() {
        #if SHALE_SCHEDULES
            if let scheduler = ThreadScheduler.current { return scheduler.notify(identity, all: true) }
        #endif
        unsafe pthread_cond_broadcast(condition)
    }

    #if SHALE_SCHEDULES
        /// The id of this condition in a scheduler.
        private var identity: UInt { UInt(bitPattern: unsafe condition) }

        private func wait(_ nanoseconds: UInt64?, _ scheduler: ThreadScheduler) -> Bool {
            unsafe pthread_mutex_unlock(lock.mutex)
            defer { unsafe pthread_mutex_lock(lock.mutex) }
            return scheduler.wait(identity, lock.identity, nanoseconds: nanoseconds)
        }
    #endif
}
