#if canImport(Darwin)
    public import Darwin
#elseif canImport(Musl)
    public import Musl
#else
    public import Glibc
#endif
/// Several locks, each with a value that it guards, on separate cache lines, so that threads with different stripes
/// don't slow each other down.
///
/// For values that every thread updates often and that are rarely read as a whole.
@safe
@usableFromInline
package final class LockStripes<Value: BitwiseCopyable>: @unchecked Sendable {
    #if SHALE_WAITS
        /// Behind the mutex, the number of the thread that took it last.
        @inlinable static var stride: Int { 256 }
        @inlinable static var valueOffset: Int { 128 }
    #else
        /// Two cache lines, because the processor fetches them in pairs: the mutex, then the value.
        @inlinable static var stride: Int { 128 }
        @inlinable static var valueOffset: Int { 64 }
    #endif

    @usableFromInline let memory: UnsafeMutableRawPointer
    @usableFromInline let count: Int

    /// Makes `count` stripes, a power of two, each with a copy of `value`, which has at most 64 bytes.
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

    #if SHALE_WAITS
        private func lock(_ index: Int, _ file: StaticString, _ line: UInt) {
            #if SHALE_SCHEDULES
                unsafe ThreadScheduler.current?.acquire(UInt(bitPattern: mutex(index)))
            #endif
            let mutex = unsafe mutex(index)
            if unsafe pthread_mutex_trylock(mutex) != 0 {
                let status = ThreadWaits.during(.lock, UInt(bitPattern: mutex), file, line) {
                    unsafe pthread_mutex_lock(mutex)
                }
                assert(status == 0)
            }
            unsafe ThreadWaits.noteHolder(of: mutex)
        }
    #else
        @inlinable @inline(__always)
        func lock(_ index: Int) {
            #if SHALE_SCHEDULES
                unsafe ThreadScheduler.current?.acquire(UInt(bitPattern: mutex(index)))
            #endif
            unsafe pthread_mutex_lock(mutex(index))
        }
    #endif

    @inlinable @inline(__always)
    func unlock(_ index: Int) {
        unsafe pthread_mutex_unlock(mutex(index))
        #if SHALE_SCHEDULES
            unsafe ThreadScheduler.current?.release(UInt(bitPattern: mutex(index)))
        #endif
    }

    #if SHALE_WAITS
        /// Calls `body` with the value of the stripe for `thread`, a number that mostly differs between threads.
        package func withLock<R>(
            _ thread: Int, _ body: (inout Value) -> R, file: StaticString = #fileID, line: UInt = #line
        ) -> R {
            let index = thread & (count &- 1)
            lock(index, file, line)
            defer { unlock(index) }
            return unsafe body(&value(index).pointee)
        }

        /// Calls `body` with all values while all locks are held.
        package func withAllLocks<R>(
            _ body: ([Value]) -> R, file: StaticString = #fileID, line: UInt = #line
        ) -> R {
            for index in 0..<count { lock(index, file, line) }
            defer { for index in 0..<count { unlock(index) } }
            return body((0..<count).map { unsafe value($0).pointee })
        }
    #else
        /// Calls `body` with the value of the stripe for `thread`, a number that mostly differs between threads.
        @inlinable @inline(__always)
        package func withLock<R>(_ thread: Int, _ body: (inout Value) -> R) -> R {
            let index = thread & (count &- 1)
            lock(index)
            defer { unlock(index) }
            return unsafe body(&value(index).pointee)
        }

        /// Calls `body` with all values while all locks are held.
        @inlinable
        package func withAllLocks<R>(_ body: ([Value]) -> R) -> R {
            for index in 0..<count { lock(index) }
            defer { for index in 0..<count { unlock(index) } }
            return body((0..<count).map { unsafe value($0).pointee })
        }
    #endif
}
