import Foundation
import Testing

@testable import ShaleCommand

/// The statistics file of a running store, when no store runs.
@Suite struct LeftStatisticsTests {
    /// Makes a store whose process was killed while it published statistics.
    private func killed(in sandbox: Sandbox) throws {
        let process = Process()
        process.executableURL = Sandbox.command
        process.arguments = ["import", sandbox.store, "n", "-", "--input-format", "ndjson", "--key", "k", "--quiet"]
        let input = Pipe()
        process.standardInput = input
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data("{\"k\":\"1\"}\n".utf8))
        var text = ""
        for _ in 0..<600 where !text.contains("open in process \(process.processIdentifier) since") {
            text = try sandbox.shale("stats", sandbox.store).output
        }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        let left = try String(contentsOfFile: sandbox.store + "/STATISTICS", encoding: .utf8)
        #expect(left.hasPrefix("pid=\(process.processIdentifier)\nshaleStatistics=1\n"))
    }

    @Test(.timeLimit(.minutes(5))) func aFileLeftByAKilledProcessIsNoStatistics() throws {
        let sandbox = try Sandbox()
        try killed(in: sandbox)
        #expect(try sandbox.shale("stats", sandbox.store).output.hasSuffix((CacheFigures.none + "\n").text))
        try sandbox.shale("put", sandbox.store, "n", "2", "two", "--create")
        #expect(try sandbox.shale("get", sandbox.store, "n", "2").output == "two\n")
    }

    @Test(.timeLimit(.minutes(5))) func noCopyOfAnyKindHasTheFileAndNoneMindsIt() throws {
        let sandbox = try Sandbox()
        try killed(in: sandbox)
        let (store, path) = (sandbox.store, sandbox.path)
        try FileManager.default.copyItem(atPath: store, toPath: path + "/plain")
        #expect(try sandbox.shale("stats", path + "/plain").output.hasSuffix((CacheFigures.none + "\n").text))
        for text in ["nonsense", "pid=1\nshaleStatistics=9\nsum=0\n", String(repeating: "x", count: 100_000)] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: store + "/STATISTICS"))
            #expect(try sandbox.shale("stats", store).status == 0)
            #expect(try sandbox.shale("watch", store, "--count", "1").status == 0)
            #expect(try sandbox.shale("verify", store).status == 0)
        }
        for arguments in [
            ["checkpoint", store, "--into", path + "/checkpoint"], ["copy", store, "--into", path + "/copy"],
            ["repair", store, "--into", path + "/repaired"], ["backup", "create", store, path + "/backups"],
            ["restore", path + "/backups", "--into", path + "/restored"],
        ] {
            let outcome = try sandbox.run(arguments)
            #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
        }
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) where name.hasSuffix("STATISTICS") {
            #expect(name == "store/STATISTICS" || name == "plain/STATISTICS")
        }
    }
}
