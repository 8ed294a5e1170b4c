import Foundation

/// Runs tests with one mutation active.
struct TestRun: Sendable {
    enum Verdict: Equatable, Sendable {
        case caught(by: String)
        case timedOut
        case survived
    }

    let program: String
    let directory: URL
    let scratch: URL

    /// Runs the tests that `filter` names; stops at the first failure. Number 0 is no mutation.
    func run(_ number: Int, filter: String, secondsMax: Double) async throws -> (Verdict, seconds: Double) {
        let output = scratch.appendingPathComponent("run-\(number)-\(filter.filter(\.isLetter).prefix(40)).log")
        let run = try await Child.run(
            [program, "--testing-library", "swift-testing", "--filter", filter],
            environment: ["SHALE_MUTATION": "\(number)", "SWIFT_BACKTRACE": "enable=no"], directory: directory,
            output: output, secondsMax: secondsMax, endsWhen: { TestRun.failure(in: $0) != nil })
        let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
        if text.contains("Test run with 0 tests") { throw MutateError("no test matches \(filter)") }
        switch run.outcome {
        case .timedOut: return (.timedOut, run.seconds)
        case .exited(0): return (.survived, run.seconds)
        case .ended: return (.caught(by: TestRun.failure(in: text) ?? "a failure"), run.seconds)
        case .exited(let status):
            return (.caught(by: TestRun.failure(in: text) ?? "exit code \(status)"), run.seconds)
        case .crashed(let signal): return (.caught(by: "a crash, signal \(signal)"), run.seconds)
        }
    }

    /// The first test that failed, with its file.
    static func failure(in output: String) -> String? {
        guard let match = output.firstMatch(of: /Test (\S[^\n]*?) recorded an issue[^\n]*? at ([^:\n]+)\.swift:/) else {
            return nil
        }
        let name = match.1.prefix { $0 != "(" }
        return "\(match.2)/\(name)"
    }
}
