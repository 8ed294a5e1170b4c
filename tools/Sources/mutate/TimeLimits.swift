/// The time limits of test runs with a mutation, derived from their time without one. The first request for a filter
/// runs its tests without a mutation, and they have to pass.
actor TimeLimits {
    private let tests: TestRun
    private let fixed: Int
    private var known: [String: Task<Double, any Error>] = [:]

    /// With `fixed` above 0 nothing is measured.
    init(_ tests: TestRun, fixed: Int) {
        self.tests = tests
        self.fixed = fixed
    }

    func seconds(for filter: String) async throws -> Double {
        if fixed > 0 { return Double(fixed) }
        if let limit = known[filter] { return try await limit.value }
        let limit = Task { [tests] in
            let (verdict, seconds) = try await tests.run(0, filter: filter, secondsMax: 1200)
            guard verdict == .survived else { throw MutateError("without a mutation \(filter): \(verdict)") }
            tell("without a mutation \(Int(seconds)) s: \(filter)")
            // Generous: on a busy machine a slow test must not pass for one that hangs.
            return 60 + 6 * seconds
        }
        known[filter] = limit
        return try await limit.value
    }
}
