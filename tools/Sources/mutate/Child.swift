import Foundation

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
        secondsMax: Double, endsWhen: (String) -> Bool = { _ in false }
    ) async throws -> Run {
        try Data().write(to: output)
        let handle = try FileHandle(forWritingTo: output)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        if let directory { process.currentDirectoryURL = directory }
        process.standardOutput = handle
        process.standardError = handle
        let start = Date()
        try process.run()
        var forced: Outcome?
        var seen = 0
        while process.isRunning {
            try await Task.sleep(for: .milliseconds(100))
            if Date().timeIntervalSince(start) > secondsMax { forced = .timedOut }
            let size = try FileManager.default.attributesOfItem(atPath: output.path)[.size] as? Int ?? 0
            if size > seen {
                seen = size
                if endsWhen(String(decoding: try Data(contentsOf: output), as: UTF8.self)) { forced = .ended }
            }
            if forced != nil {
                kill(process.processIdentifier, SIGKILL)
                break
            }
        }
        process.waitUntilExit()
        let seconds = Date().timeIntervalSince(start)
        if let forced { return Run(outcome: forced, seconds: seconds) }
        let status = process.terminationStatus
        let outcome: Outcome = process.terminationReason == .exit ? .exited(status) : .crashed(status)
        return Run(outcome: outcome, seconds: seconds)
    }
}
