import ShaleEngine
import Synchronization

/// Asynchronous work of a command. It runs on the task pool while the command's thread waits for it.
enum AsyncWork {
    private static let stepMicroseconds: UInt32 = 20_000

    private final class Outcome<Value: Sendable>: Sendable {
        let result = Mutex<Result<Value, any Error>?>(nil)
    }

    /// Runs `body` to its end. Meanwhile `show` is called on this thread about every 20 ms.
    ///
    /// After ^C, if the command catches it, the task of `body` is cancelled; its outcome is still waited for.
    static func run<Value: Sendable>(
        showing show: () -> Void = {}, _ body: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let outcome = Outcome<Value>()
        let task = Task {
            let result: Result<Value, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            outcome.result.withLock { $0 = result }
        }
        while true {
            if let result = outcome.result.withLock({ $0 }) { return try result.get() }
            if Interruption.hasCome { task.cancel() }
            show()
            usleep(stepMicroseconds)
        }
    }
}
