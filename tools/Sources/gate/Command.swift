import Foundation

/// Runs other programs.
enum Command {
    /// Returns the output of `program`, run with `arguments` and `input`. Throws for any exit code but 0.
    static func output(
        _ program: String, _ arguments: [String], input: String? = nil, environment: [String: String] = [:]
    ) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        // Uses files, so that neither side ever waits for the other's pipe.
        let place = try TemporaryFiles()
        let (output, errors) = (try place.handle("output"), try place.handle("errors"))
        process.standardOutput = output
        process.standardError = errors
        if let input {
            let file = place.path("input")
            try Data(input.utf8).write(to: file)
            process.standardInput = try FileHandle(forReadingFrom: file)
        }
        try process.run()
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            let words = try String(contentsOf: place.path("errors"), encoding: .utf8)
            throw GateError("\(program) failed with \(process.terminationStatus): \(words.suffix(2000))")
        }
        return try String(decoding: Data(contentsOf: place.path("output")), as: UTF8.self)
    }
}

/// A temporary directory, removed with its owner.
final class TemporaryFiles {
    private let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("shale-gate-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit {
        do {
            try FileManager.default.removeItem(at: directory)
        } catch {
            print("the temporary directory \(directory.path) can't be removed: \(error)")
        }
    }

    func path(_ name: String) -> URL { directory.appendingPathComponent(name) }

    func handle(_ name: String) throws -> FileHandle {
        let file = path(name)
        try Data().write(to: file)
        return try FileHandle(forWritingTo: file)
    }
}
