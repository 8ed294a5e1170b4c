/// A run that can't continue, or a wrong result.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// Makes the error for a store that returned something else than what was written. Never acceptable: the run fails.
    static func wrong(_ what: String) -> BenchError { BenchError("verification failed: \(what)") }

    /// Makes the error for a failed system call.
    static func system(_ call: String, _ path: String, _ code: Int32) -> BenchError {
        BenchError("\(call) failed with errno \(code): \(path)")
    }
}
