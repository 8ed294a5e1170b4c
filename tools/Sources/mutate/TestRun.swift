import Foundation
import Subprocess

#if canImport(Darwin)
    import System
#else
    import SystemPackage
#endif

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
            printLine("without a mutation \(Int(seconds)) s: \(filter)")
            // Generous: on a busy machine a slow test must not pass for one that hangs.
            return 60 + 6 * seconds
        }
        known[filter] = limit
        return try await limit.value
    }
}

/// Runs programs, with a limit to their time.
enum Child {
    enum Outcome: Equatable {
        case exited(Int32)
        case crashed(Int32)
        case timedOut
        /// `endsWhen` was true.
        case ended
    }

    struct Run {
        let outcome: Outcome
        let seconds: Double
    }

    /// Runs `command` until it ends, `secondsMax` have passed, or `endsWhen` is true for what it has printed.
    static func run(
        _ command: [String], environment: [String: String] = [:], directory: URL? = nil, output: URL,
        secondsMax: Double, endsWhen: @escaping @Sendable (String) -> Bool = { _ in false }
    ) async throws -> Run {
        let start = Date()
        let outcome = try await withThrowingTaskGroup(of: Outcome.self) { group in
            // A file, not a pipe: programs that the child leaves behind may hold a pipe open.
            try Data().write(to: output)
            group.addTask { try await end(of: command, environment, directory, output) }
            group.addTask { try await reasonToEnd(output, deadline: start + secondsMax, endsWhen) }
            // Cancelling the child's task kills the child.
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw MutateError("\(command[0]) did not run") }
            return first
        }
        return Run(outcome: outcome, seconds: Date().timeIntervalSince(start))
    }

    private static func end(
        of command: [String], _ environment: [String: String], _ directory: URL?, _ output: URL
    ) async throws -> Outcome {
        let variables = environment.map { (Environment.Key(stringLiteral: $0), Optional($1)) }
        let file = try FileDescriptor.open(FilePath(output.path), .writeOnly)
        let program: Executable = command[0].contains("/") ? .path(FilePath(command[0])) : .name(command[0])
        let ended = try await Subprocess.run(
            program, arguments: Arguments(Array(command.dropFirst())),
            environment: .inherit.updating(Dictionary(uniqueKeysWithValues: variables)),
            workingDirectory: directory.map { FilePath($0.path) },
            output: .fileDescriptor(file, closeAfterSpawningProcess: true), error: .combinedWithOutput)
        return switch ended.terminationStatus {
        case .exited(let code): .exited(code)
        case .signaled(let signal): .crashed(signal)
        }
    }

    private static func reasonToEnd(
        _ output: URL, deadline: Date, _ endsWhen: (String) -> Bool
    ) async throws -> Outcome {
        var seen = 0
        while Date() < deadline {
            try await Task.sleep(for: .milliseconds(100))
            let size = try FileManager.default.attributesOfItem(atPath: output.path)[.size] as? Int ?? 0
            guard size > seen else { continue }
            seen = size
            if endsWhen(String(decoding: try Data(contentsOf: output), as: UTF8.self)) { return .ended }
        }
        return .timedOut
    }
}
