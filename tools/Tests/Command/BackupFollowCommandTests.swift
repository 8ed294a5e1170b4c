import Foundation
import Shale
import Testing

@testable import ShaleCommand

@Suite(.timeLimit(.minutes(5))) struct BackupFollowCommandTests {
    @Test func aRunningStoreIsFollowedAndRestoredAtATime() throws {
        let sandbox = try Sandbox()
        let backups = "\(sandbox.path)/backups"
        let store = try Store(at: sandbox.store)
        try store.common["a"].set(0, forKey: "k")
        let command = try FollowingCommand(
            ["backup", "follow", sandbox.store, backups, "--every", "0.01", "--format", "ndjson"])
        #expect(eventually { command.output.contains("\"kind\":\"backup\"") })
        var times: [String] = []
        for number in 1...3 {
            let before = command.output.count
            try store.common["a"].set(number, forKey: "k")
            #expect(eventually { command.output.count > before && command.output.hasSuffix("\n") })
            // The moment is before this time, and the next change after it.
            let time = Date().addingTimeInterval(0.005)
            times.append(time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
            #expect(eventually { Date() > time.addingTimeInterval(0.005) })
        }
        #expect(try sandbox.shale("backup", "verify", backups).status == 0)
        command.interrupt()
        try store.close()
        let kinds = try rows(command.output).map { $0["kind"] as? String }
        #expect(kinds == ["backup", "moment", "moment", "moment"])
        for (index, time) in times.enumerated() {
            let target = "\(sandbox.path)/restored\(index)"
            let answer = try sandbox.shale("restore", backups, "--at", time, "--into", target, "--json")
            #expect(answer.status == 0)
            #expect(try sandbox.shale("get", target, "a", "k").output == "\(index + 1)\n")
        }
        let early = try sandbox.shale("restore", backups, "--at", "2020-01-01T00:00:00Z", "--into", "\(sandbox.path)/x")
        #expect(early.status == 5)
        #expect(early.errors.contains("earliest="))
    }

    @Test func badArgumentsAreRefused() throws {
        let sandbox = try Sandbox()
        let backups = "\(sandbox.path)/backups"
        for arguments in [["--every", "0"], ["--full-every", "0"], ["--keep", "-1"], ["--json"]] {
            #expect(try sandbox.run(["backup", "follow", sandbox.store, backups] + arguments).status == 64)
        }
        let target = "\(sandbox.path)/x"
        for arguments in [["--at", "yesterday"], ["--at", "2020-01-01T00:00:00Z", "--number", "1"]] {
            #expect(try sandbox.run(["restore", backups, "--into", target] + arguments).status == 64)
        }
        #expect(
            try sandbox.shale("backup", "follow", sandbox.store, backups).status
                == sandbox.shale("stats", sandbox.store).status)
    }
}
