import Foundation
import Shale
import Testing

@testable import ShaleCommand

@Suite(.timeLimit(.minutes(5))) struct TailCommandTests {
    @Test func changesOfARunningStoreArePrintedAndContinued() throws {
        let sandbox = try Sandbox()
        let store = try Store(at: sandbox.store)
        try store.common["a"].set("1", forKey: "k")
        try store.user("ada")["b"].child("c").set("2", forKey: "l")
        let first = try rows(try sandbox.shale("tail", sandbox.store).output).filter { $0["kind"] as? String == "set" }
        #expect(first.map { $0["namespace"] as? String } == ["a", "b/c"])
        #expect(first.map { $0["user"] as? String } == [nil, "ada"])
        #expect(first.map { $0["key"] as? String } == ["k", "l"])
        let last = try #require(first.last?["through"] as? Int)
        try store.common["a"].remove("k")
        try store.common["a"].drop()
        let second = try rows(try sandbox.shale("tail", sandbox.store, "--from", "\(last)").output)
        #expect(second.map { $0["kind"] as? String } == ["removed", "dropped"])
        #expect(second.map { $0["sequence"] as? Int } == [last + 1, last + 2])
        let own = try sandbox.shale("tail", sandbox.store, "--namespace", "b", "--user", "ada").output
        #expect(try rows(own).allSatisfy { $0["namespace"] as? String == "b/c" })
        let table = try sandbox.shale("tail", sandbox.store, "--format", "csv").output
        #expect(table.hasPrefix("sequence,through,kind,user,namespace,key,keyBase64\n"))
        try store.close()
    }

    @Test func changesThatAreGoneAreAGap() throws {
        let sandbox = try Sandbox()
        let store = try Store(at: sandbox.store)
        for number in 0..<10 { try store.common["a"].set(number, forKey: "k") }
        try store.close()
        #expect(try sandbox.shale("tail", sandbox.store).output == "")
        let all = try rows(try sandbox.shale("tail", sandbox.store, "--from", "4").output)
        #expect(all.map { $0["kind"] as? String } == ["gap"] && all[0]["sequence"] as? Int == 5)
        let gap = try rows(try sandbox.shale("tail", sandbox.store, "--from", "1000").output)
        #expect(gap.map { $0["kind"] as? String } == ["gap"] && gap[0]["sequence"] as? Int == 1)
    }

    @Test func badArgumentsAndMissingStoresHaveTheCodesOfOtherCommands() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.shale("tail", sandbox.store).status == sandbox.shale("stats", sandbox.store).status)
        #expect(try sandbox.shale("tail", sandbox.store, "--json").status == 64)
        #expect(try sandbox.shale("tail", sandbox.store, "--interval", "0").status == 64)
        #expect(try sandbox.shale("tail", sandbox.store, "--from", "-1").status == 64)
        #expect(try sandbox.shale("tail", sandbox.store, "--user", "ada").status == 64)
    }

    @Test func aFollowerPrintsWhatIsWrittenAndEndsWellWhenInterrupted() throws {
        let sandbox = try Sandbox()
        let store = try Store(at: sandbox.store)
        try store.common["a"].set(0, forKey: "before")
        let command = try FollowingCommand(["tail", sandbox.store, "--follow", "--interval", "0.01"])
        // The follower begins at some moment between these writes.
        var number = 0
        let isPrinted = try eventually {
            number += 1
            try store.common["a"].set(number, forKey: "k\(number)")
            return command.output.hasSuffix("\n")
        }
        #expect(isPrinted)
        #expect(try rows(command.output).allSatisfy { $0["kind"] as? String == "set" })
        command.interrupt()
        try store.close()
    }

    @Test func aClosedPipeEndsTheFollower() throws {
        let sandbox = try Sandbox()
        let store = try Store(at: sandbox.store)
        let process = Process()
        process.executableURL = Sandbox.command
        process.arguments = ["tail", sandbox.store, "--follow", "--interval", "0.01"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        try output.fileHandleForReading.close()
        var number = 0
        let hasEnded = try eventually {
            number += 1
            try store.common["a"].set(number, forKey: "k")
            return !process.isRunning
        }
        #expect(hasEnded)
        if !hasEnded { process.terminate() }
        process.waitUntilExit()
        // The signal, or the code of failed output where the signal is ignored.
        #expect(process.terminationReason == .uncaughtSignal || process.terminationStatus == 5)
        try store.close()
    }
}
