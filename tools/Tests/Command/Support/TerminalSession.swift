import Foundation
import Testing

/// The command at a terminal that `script` makes.
final class TerminalSession {
    private static let script = "/usr/bin/script"

    static var isPossible: Bool {
        #if os(Linux)
            FileManager.default.isExecutableFile(atPath: script)
        #else
            false
        #endif
    }

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    /// The output to the terminal so far.
    private(set) var screen = ""

    convenience init(_ arguments: String...) throws { try self.init(arguments, terminal: "xterm") }

    init(_ arguments: [String], terminal: String) throws {
        let words = [Sandbox.command.path] + arguments
        let line = words.map { "'\($0.replacingOccurrences(of: "'", with: "'\\''"))'" }.joined(separator: " ")
        process.executableURL = URL(fileURLWithPath: Self.script)
        process.arguments = ["--quiet", "--return", "--command", line, "/dev/null"]
        process.environment = ProcessInfo.processInfo.environment.merging(["TERM": terminal]) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.run()
    }

    /// Waits until the command has printed `text`.
    func wait(for text: String) throws {
        while !screen.contains(text) {
            let data = output.fileHandleForReading.availableData
            try #require(!data.isEmpty, "it ended before it showed \(text): \(screen)")
            screen += String(decoding: data, as: UTF8.self)
        }
    }

    func type(_ text: String) throws { try input.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }

    /// Waits for the end of the output and returns the exit code.
    func end() throws -> Int32 {
        screen += String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return process.terminationStatus
    }
}
