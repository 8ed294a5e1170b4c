#if canImport(Darwin)
    public import Darwin
#elseif canImport(Musl)
    public import Musl
#else
    public import Glibc
#endif

/// A pthread mutex on the heap.
///
/// Not recursive. Preferred to `Synchronization.Mutex`, which takes the kernel's priority-inheritance path on Linux and
/// costs twice as much under contention.
@safe
@usableFromInline
package final class Lock: @unchecked Sendable {
    /// Initialized for the object's whole lifetime and never moved, as pthread requires of a mutex.
    @usableFromInline package let mutex: UnsafeMutablePointer<pthread_mutex_t>

    /// Makes a mutex.
    ///
    /// - Parameter spins: If true, a thread that finds the lock taken spins for a few microseconds with growing
    ///   pauses before it sleeps, which costs 7 µs. The spin time adapts to recent waits. Use it for locks that are
    ///   mostly held for less than a sleep, and without system calls. Only glibc has such mutexes; elsewhere the
    ///   parameter has no effect.
    package init(spins: Bool = false) {
        #if SHALE_WAITS
            // Behind it, the number of the thread that took it last.
            unsafe mutex = .allocate(capacity: 2)
        #else
            unsafe mutex = .allocate(capacity: 1)
        #endif
        unsafe mutex.initialize(to: pthread_mutex_t())
        var attributes = pthread_mutexattr_t()
        unsafe pthread_mutexattr_init(&attributes)
        defer { unsafe pthread_mutexattr_destroy(&attributes) }
        #if canImport(Glibc)
            if spins { unsafe pthread_mutexattr_settype(&attributes, CInt(PTHREAD_MUTEX_ADAPTIVE_NP)) }
        #endif
        let status = unsafe pthread_mutex_init(mutex, &attributes)
        assert(status == 0)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deinitialize(count: 1)
        unsafe mutex.deallocate()
    }

    #if SHALE_WAITS
        package func lock(_ file: StaticString = #fileID, _ line: UInt = #line) {
            #if SHALE_SCHEDULES
                ThreadScheduler.current?.acquire(UInt(bitPattern: unsafe mutex))
            #endif
            if unsafe pthread_mutex_trylock(mutex) != 0 {
                let status = ThreadWaits.during(.lock, UInt(bitPattern: unsafe mutex), file, line) {
                    unsafe pthread_mutex_lock(mutex)
                }
                assert(status == 0)
            }
            noteHolder()
        }

        /// For the report of a hang. The calling thread holds the lock.
        func noteHolder() { unsafe ThreadWaits.noteHolder(of: mutex) }
    #else
        @inlinable @inline(__always)
        package func lock() {
            #if SHALE_SCHEDULES
                ThreadScheduler.current?.acquire(identity)
            #endif
            let status = unsafe pthread_mutex_lock(mutex)
            assert(status == 0)
        }
    #endif

    /// Takes the lock if it is free. Returns false otherwise.
    @inlinable @inline(__always)
    package func tryLock() -> Bool {
        #if SHALE_SCHEDULES
            if let scheduler = ThreadScheduler.current, !scheduler.tryAcquire(identity) { return false }
        #endif
        return unsafe pthread_mutex_trylock(mutex) == 0
    }

    @inlinable @inline(__always)
    package func unlock() {
        let status = unsafe pthread_mutex_unlock(mutex)
        assert(status == 0)
        #if SHALE_SCHEDULES
            ThreadScheduler.current?.release(identity)
        #endif
    }

    #if SHALE_SCHEDULES
        /// The id of this lock in a scheduler.
        @usableFromInline var identity: UInt { UInt(bitPattern: unsafe mutex) }
    #endif

    #if SHALE_WAITS
        package func withLock<Result: ~Copyable, Failure: Error>(
            _ body: () throws(Failure) -> Result, file: StaticString = #fileID, line: UInt = #line
        ) throws(Failure) -> Result {
            lock(file, line)
            defer { unlock() }
            return try body()
        }
    #else
        @inlinable @inline(__always)
        package func withLock<Result: ~Copyable, Failure: Error>(
            _ body: () throws(Failure) -> Result
        ) throws(Failure) -> Result {
            lock()
            defer { unlock() }
            return try body()
        }
    #endif
}

/// A value that is accessed only under its own lock.
///
/// `Synchronization.Mutex` is not used: under contention it waits in the kernel's priority-inheritance path, which
/// costs twice as much on Linux. The thread sanitizer can't follow that path either, and reports false races.
package final class Locked<Value>: @unchecked Sendable {
    @usableFromInline let lock = Lock()
    /// Guarded by `lock`.
    @usableFromInline var value: Value

    package init(_ value: sending Value) { self.value = value }

    #if SHALE_WAITS
        /// Calls `body` with the value under the lock. Not recursive. `body` may only return copies, or parts that are
        /// safe to share.
        package func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout Value) throws(Failure) -> Result, file: StaticString = #fileID, line: UInt = #line
        ) throws(Failure) -> Result {
            lock.lock(file, line)
            defer { lock.unlock() }
            return try body(&value)
        }
    #else
        /// Calls `body` with the value under the lock. Not recursive. `body` may only return copies, or parts that are
        /// safe to share.
        @inlinable @inline(__always)
        package func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout Value) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            lock.lock()
            defer { lock.unlock() }
            return try body(&value)
        }
    #endif
}
