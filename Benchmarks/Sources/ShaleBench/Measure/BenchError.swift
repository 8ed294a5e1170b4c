/// A run that can't continue, or a wrong result.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// Makes the error for a store that returned something else than what was written. Never acceptable: the run fails.
    static func wrong(_ what: String) -> BenchError { BenchError("verification failed: \(what)") }
}
