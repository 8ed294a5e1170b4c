import Foundation
import Subprocess

#if canImport(Darwin)
    import System
#else
    import SystemPackage
#endif

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
        let ended = try await Subprocess.run(
            .name(command[0]), arguments: Arguments(Array(command.dropFirst())),
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
