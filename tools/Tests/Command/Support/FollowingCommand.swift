import Foundation
import Synchronization
import Testing

/// A command that runs until it is interrupted, and what it has printed so far.
final class FollowingCommand: Sendable {
    private let process = Process()
    private let printed = Mutex("")

    init(_ arguments: [String]) throws {
        process.executableURL = Sandbox.command
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        pipe.fileHandleForReading.readabilityHandler = { [self] handle in
            let text = String(decoding: handle.availableData, as: UTF8.self)
            printed.withLock { $0 += text }
        }
        try process.run()
    }

    var output: String { printed.withLock { $0 } }

    /// Interrupts the command, and checks that it ends well.
    func interrupt() {
        process.interrupt()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0 && process.terminationReason == .exit)
    }
}

/// Returns the rows of an output in NDJSON.
func rows(_ output: String) throws -> [[String: Any]] {
    try output.split(separator: "\n").map {
        try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
}
