#if canImport(Darwin)
    public import Darwin
#elseif canImport(Musl)
    public import Musl
#else
    public import Glibc
#endif
/// Several locks, each with a value that it guards, on cache lines of their own: threads that use different ones don't
/// slow each other down. For what is changed by every thread all the time and looked at as a whole now and then.
@safe
@usableFromInline
package final class LockStripes<Value: BitwiseCopyable>: @unchecked Sendable {
    /// Two cache lines, because the processor fetches them in pairs: the mutex, and behind it the value.
    @inlinable static var stride: Int { 128 }
    @inlinable static var valueOffset: Int { 64 }

    @usableFromInline let memory: UnsafeMutableRawPointer
    @usableFromInline let count: Int

    /// `count` is a power of two. A value takes 64 bytes at most.
    package init(count: Int, _ value: Value) {
        precondition(count > 0 && count & (count - 1) == 0 && MemoryLayout<Value>.size <= 64)
        self.count = count
        unsafe memory = UnsafeMutableRawPointer.allocate(
            byteCount: count * LockStripes.stride, alignment: LockStripes.stride)
        for index in 0..<count {
            let mutex = unsafe mutex(index)
            unsafe mutex.initialize(to: pthread_mutex_t())
            let status = unsafe pthread_mutex_init(mutex, nil)
            assert(status == 0)
            unsafe self.value(index).initialize(to: value)
        }
    }

    deinit {
        for index in 0..<count { unsafe pthread_mutex_destroy(mutex(index)) }
        unsafe memory.deallocate()
    }

    @inlinable @inline(__always)
    func mutex(_ index: Int) -> UnsafeMutablePointer<pthread_mutex_t> {
        unsafe (memory + index &* LockStripes.stride).assumingMemoryBound(to: pthread_mutex_t.self)
    }

    @inlinable @inline(__always)
    func value(_ index: Int) -> UnsafeMutablePointer<Value> {
        unsafe (memory + (index &* LockStripes.stride &+ LockStripes.valueOffset)).assumingMemoryBound(to: Value.self)
    }

    @inlinable @inline(__always)
    func lock(_ index: Int) {
        #if SHALE_SCHEDULES
            unsafe ThreadScheduler.current?.acquire(UInt(bitPattern: mutex(index)))
        #endif
        unsafe pthread_mutex_lock(mutex(index))
    }

    @inlinable @inline(__always)
    func unlock(_ index: Int) {
        unsafe pthread_mutex_unlock(mutex(index))
        #if SHALE_SCHEDULES
            unsafe ThreadScheduler.current?.release(UInt(bitPattern: mutex(index)))
        #endif
    }

    /// Runs `body` with the value that belongs to `thread`, any number that mostly differs between threads.
    @inlinable @inline(__always)
    package func withLock<R>(_ thread: Int, _ body: (inout Value) -> R) -> R {
        let index = thread & (count &- 1)
        lock(index)
        defer { unlock(index) }
        return unsafe body(&value(index).pointee)
    }

    /// Runs `body` with all values, while nobody changes any.
    @inlinable
    package func withAllLocks<R>(_ body: ([Value]) -> R) -> R {
        for index in 0..<count { lock(index) }
        defer { for index in 0..<count { unlock(index) } }
        return body((0..<count).map { unsafe value($0).pointee })
    }
}
