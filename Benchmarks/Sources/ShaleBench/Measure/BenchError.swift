/// A run that can't go on, or a result that is wrong.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// The store gave something else than what was written. Never acceptable: the run fails.
    static func wrong(_ what: String) -> BenchError { BenchError("verification failed: \(what)") }

    /// A system call failed.
    static func system(_ call: String, _ path: String, _ code: Int32) -> BenchError {
        BenchError("\(call) failed with errno \(code): \(path)")
    }
}
