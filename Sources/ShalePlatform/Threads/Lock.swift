#if canImport(Darwin)
    public import Darwin
#elseif canImport(Musl)
    public import Musl
#else
    public import Glibc
#endif
/// A pthread mutex on the heap. Not recursive. Chosen over `Synchronization.Mutex`, which takes the kernel's
/// priority-inheritance path on Linux and costs twice as much under contention.
@safe
@usableFromInline
package final class Lock: @unchecked Sendable {
    /// Initialised for the object's whole life, and never moved: what pthread demands of a mutex.
    @usableFromInline package let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        let status = unsafe pthread_mutex_init(mutex, nil)
        assert(status == 0)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deinitialize(count: 1)
        unsafe mutex.deallocate()
    }

    @inlinable @inline(__always)
    package func lock() {
        let status = unsafe pthread_mutex_lock(mutex)
        assert(status == 0)
    }

    /// Takes the lock if that needs no waiting.
    @inlinable @inline(__always)
    package func tryLock() -> Bool { unsafe pthread_mutex_trylock(mutex) == 0 }

    @inlinable @inline(__always)
    package func unlock() {
        let status = unsafe pthread_mutex_unlock(mutex)
        assert(status == 0)
    }

    @inlinable @inline(__always)
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try body()
    }
}
