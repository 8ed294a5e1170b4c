import Foundation
import Testing

@testable import ShaleCommand

/// Interrupts to commands that create a store.
@Suite struct InterruptionTests {
    private static let line = "{\"k\":\"k\",\"c\":2,\"v\":\"v\"}\n"
    private static let head = "{\"shaleDump\":1,\"nextNamespace\":2}\n{\"namespace\":1,\"path\":[\"n\"]}\n"

    @Test(.timeLimit(.minutes(5)), arguments: [SIGINT, SIGTERM])
    func aLoadThatIsInterruptedLeavesNothingThatIsInTheWayOfAnother(_ number: Int32) throws {
        let sandbox = try Sandbox()
        let process = Process()
        process.executableURL = Sandbox.command
        process.arguments = ["load", sandbox.store]
        let input = Pipe()
        let errors = Pipe()
        process.standardInput = input
        process.standardError = errors
        try process.run()
        // The input stays incomplete, so the command waits for more.
        try input.fileHandleForWriting.write(contentsOf: Data((Self.head + Self.line).utf8))
        let hasBegun = eventually { FileManager.default.fileExists(atPath: sandbox.store + "/wal") }
        #expect(hasBegun)
        kill(process.processIdentifier, number)
        let told = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 130)
        #expect(told == "shale: interrupted: nothing was made, and no partial output is left\n")
        #expect(!FileManager.default.fileExists(atPath: sandbox.store))
        #expect(try sandbox.shale("stats", sandbox.store).status == 5)
        let whole = Self.head + Self.line + "{\"end\":1}\n"
        #expect(try sandbox.shale("load", sandbox.store, input: whole).status == 0)
        #expect(try sandbox.shale("get", sandbox.store, "n", "k").output == "v\n")
    }
}
