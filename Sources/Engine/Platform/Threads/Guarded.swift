/// A value that is accessed only under its own lock.
///
/// `Synchronization.Mutex` is not used: under contention it waits in the kernel's priority-inheritance path, which
/// costs twice as much on Linux. The thread sanitizer can't follow that path either, and reports false races.
package final class Guarded<Value>: @unchecked Sendable {
    private let lock = Lock()
    /// Guarded by `lock`.
    private var value: Value

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
        package func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout Value) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            lock.lock()
            defer { lock.unlock() }
            return try body(&value)
        }
    #endif
}
