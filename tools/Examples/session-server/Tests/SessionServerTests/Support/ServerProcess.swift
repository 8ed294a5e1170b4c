import Foundation

/// The built program, as a process of its own.
final class ServerProcess {
    private let process = Process()
    private let output = Pipe()
    let client: Client

    /// Starts the program and waits for its port.
    init(in directory: String) throws {
        // The tests and the program are products of one build.
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
            .deletingLastPathComponent().appendingPathComponent("session-server")
        process.arguments = [directory]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var line = Data()
        while let byte = try output.fileHandleForReading.read(upToCount: 1), let value = byte.first, value != 10 {
            line.append(byte)
        }
        guard let port = Int(String(decoding: line, as: UTF8.self)) else {
            process.terminate()
            throw CocoaError(.executableLoad)
        }
        client = Client(port: port)
    }

    /// Sends SIGTERM, waits for the end, and returns the exit code.
    func terminate() -> Int32 {
        process.terminate()
        process.waitUntilExit()
        return process.terminationStatus
    }

    deinit { if process.isRunning { process.terminate() } }
}
