/// A value that is only reached under its own lock.
///
/// Not `Synchronization.Mutex`: under contention that waits in the kernel's priority-inheritance path, which costs twice
/// as much on Linux, and which the thread sanitizer can't follow: it reports races that are none.
package final class Guarded<Value>: @unchecked Sendable {
    private let lock = Lock()
    /// Under `lock`.
    private var value: Value

    package init(_ value: sending Value) { self.value = value }

    /// Not recursive. Nothing that belongs to the value may leave `body` without being a copy or safe to share.
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
