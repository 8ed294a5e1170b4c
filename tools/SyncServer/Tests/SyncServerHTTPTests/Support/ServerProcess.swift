import Foundation

/// The built program as a process of its own.
final class ServerProcess {
    /// The end of a process.
    struct Ending {
        let code: Int32
        let output: String
        let errors: String
    }

    private let process = Process()
    private let output = Pipe()
    private let place: Place
    let port: Int

    /// The tests and the program are products of one build.
    private static var program: URL {
        URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("shale-sync-server")
    }

    /// Starts the program and waits for its port.
    init(in place: Place, tokens: String) throws {
        self.place = place
        process.executableURL = ServerProcess.program
        process.arguments = [place.path + "/store", "--tokens", tokens, "--port", "0"]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var line = Data()
        while let byte = try output.fileHandleForReading.read(upToCount: 1), let value = byte.first, value != 10 {
            line.append(byte)
        }
        guard let port = URL(string: String(decoding: line, as: UTF8.self))?.port else {
            process.terminate()
            throw CocoaError(.executableLoad)
        }
        self.port = port
    }

    /// Runs the program to its end.
    static func run(_ arguments: String...) throws -> Ending {
        let (process, output, errors) = (Process(), Pipe(), Pipe())
        process.executableURL = program
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        let messages = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Ending(
            code: process.terminationStatus, output: String(decoding: text, as: UTF8.self),
            errors: String(decoding: messages, as: UTF8.self))
    }

    /// Sends a signal, and waits for the end unless it is SIGHUP.
    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits for the end, and returns the exit code.
    func wait() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }

    deinit { if process.isRunning { process.terminate() } }
}
