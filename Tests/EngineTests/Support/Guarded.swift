import ShalePlatform

/// A value that threads of a test share. Its lock is one that the thread sanitizer knows, unlike `Mutex`.
final class Guarded<Value: Sendable>: @unchecked Sendable {
    private let lock = Lock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
