#if SHALE_SCHEDULES
    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// Blocks one thread until it may run. Uses the system's own mutex and condition, because ``Lock`` and
    /// ``Condition`` ask the scheduler.
    @safe
    final class Baton: @unchecked Sendable {
        private let mutex: UnsafeMutablePointer<pthread_mutex_t>
        private let condition: UnsafeMutablePointer<pthread_cond_t>
        private var isGiven = false

        init() {
            unsafe mutex = .allocate(capacity: 1)
            unsafe mutex.initialize(to: pthread_mutex_t())
            unsafe pthread_mutex_init(mutex, nil)
            unsafe condition = .allocate(capacity: 1)
            unsafe condition.initialize(to: pthread_cond_t())
            unsafe pthread_cond_init(condition, nil)
        }

        deinit {
            unsafe pthread_cond_destroy(condition)
            unsafe pthread_mutex_destroy(mutex)
            unsafe condition.deallocate()
            unsafe mutex.deallocate()
        }

        func give() {
            unsafe pthread_mutex_lock(mutex)
            isGiven = true
            unsafe pthread_cond_signal(condition)
            unsafe pthread_mutex_unlock(mutex)
        }

        func take() {
            unsafe pthread_mutex_lock(mutex)
            while !isGiven { unsafe pthread_cond_wait(condition, mutex) }
            isGiven = false
            unsafe pthread_mutex_unlock(mutex)
        }
    }

    /// The record by which a thread finds its scheduler.
    final class Ticket {
        let scheduler: ThreadScheduler
        let thread: Int

        init(scheduler: ThreadScheduler, thread: Int) {
            self.scheduler = scheduler
            self.thread = thread
        }
    }

    struct ThreadKey: Sendable {
        let key: pthread_key_t

        static let shared = ThreadKey()

        private init() {
            var key = pthread_key_t()
            let status = unsafe pthread_key_create(&key, nil)
            precondition(status == 0, "no thread-specific key is left")
            self.key = key
        }
    }
#endif
