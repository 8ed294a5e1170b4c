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

    /// `columns` is the width of the terminal; `nil` leaves the one that `script` gives it.
    init(_ arguments: [String], terminal: String, columns: Int? = nil) throws {
        let words = [Sandbox.command.path] + arguments
        let quoted = words.map { "'\($0.replacingOccurrences(of: "'", with: "'\\''"))'" }
        // `exec`: a shell that waits for the command would end at ^C.
        let width = columns.map { "stty cols \($0); " } ?? ""
        let line = width + "exec " + quoted.joined(separator: " ")
        process.executableURL = URL(fileURLWithPath: Self.script)
        process.arguments = ["--quiet", "--return", "--command", line, "/dev/null"]
        process.environment = ProcessInfo.processInfo.environment.merging(["TERM": terminal, "SHELL": "/bin/sh"]) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.run()
        // A command that waits for input that the test does not give ends here, with all that waits for it.
        DispatchQueue.global().asyncAfter(deadline: .now() + 240) { [process] in
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        }
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

    /// Waits for the end of the output.
    func end() {
        screen += String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
    }

    /// Waits for the end of the output and expects the exit code `status`.
    func end(with status: Int32, _ location: SourceLocation = #_sourceLocation) {
        end()
        let ended = "\(process.terminationReason) \(process.terminationStatus)"
        #expect(
            process.terminationReason == .exit && process.terminationStatus == status,
            "\(ended) instead of \(status), with \(screen.debugDescription)", sourceLocation: location)
    }
}
