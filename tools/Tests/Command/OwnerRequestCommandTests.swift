import Foundation
import Shale
import Testing

@testable import ShaleCommand

/// `compact` and `purge` beside the process that has the store open: here the test's own.
@Suite struct OwnerRequestCommandTests {
    private func open(_ sandbox: Sandbox, _ change: (inout Store.Options) -> Void = { _ in }) throws -> Store {
        var options = Store.Options()
        change(&options)
        let store = try Store(at: sandbox.store, options: options)
        for round in 0..<3 {
            for number in 0..<1000 {
                try store.common["a"].set("text \(round) \(number)", forKey: "key \(number)")
                try store.user("ann")["b"].set("draft \(number)", forKey: "key \(number)", options: [.purgeable])
            }
            try store.engine.flush()
        }
        return store
    }

    @Test func theOwnerCompacts() throws {
        let sandbox = try Sandbox()
        let store = try open(sandbox)
        let before = try sandbox.shale("dump", sandbox.store, "-q").output
        let done = try sandbox.shale("compact", sandbox.store, "--json")
        let answer = try done.json()
        #expect(done.status == 0 && (answer["shadowedEntries"] as? Int ?? 0) > 0, "\(done.errors)")
        #expect(store.engine.statistics.levels.count { $0.segments > 0 } == 1)
        #expect(try sandbox.shale("dump", sandbox.store, "-q").output == before)
        try store.close()
        #expect(!FileManager.default.fileExists(atPath: "\(sandbox.store)/requests"))
    }

    @Test func theOwnerPurges() throws {
        let sandbox = try Sandbox()
        let store = try open(sandbox)
        let done = try sandbox.shale("purge", sandbox.store, "b", "--user", "ann", "--yes", "--json")
        let entries = try done.json()["entries"] as? Int
        #expect(done.status == 0 && (entries ?? 0) >= 1000, "\(done.errors)")
        #expect(try store.user("ann")["b"].string(forKey: "key 1") == nil)
        #expect(try store.common["a"].string(forKey: "key 1") == "text 2 1")
        #expect(try sandbox.shale("purge", sandbox.store, "missing", "--yes").status == 1)
        try store.close()
    }

    @Test func anOwnerThatAcceptsNoneHasTheLock() throws {
        let sandbox = try Sandbox()
        let store = try open(sandbox) { $0.engine.acceptsRequests = false }
        let done = try sandbox.shale("purge", sandbox.store, "--yes")
        #expect(done.status == 3 && done.errors.contains("accepts requests"), "\(done.errors)")
        #expect(try store.user("ann")["b"].string(forKey: "key 1") == "draft 1")
        try store.close()
    }

    @Test func theCompressionIsTheOwners() throws {
        let sandbox = try Sandbox()
        let store = try open(sandbox)
        #expect(try sandbox.shale("compact", sandbox.store, "--compression", "zstd:9").status == 64)
        try store.close()
    }

    /// The owner drops the request of a command that was killed, and does the next.
    @Test func aKilledCommandLeavesNothing() throws {
        let sandbox = try Sandbox()
        let store = try open(sandbox) { $0.engine.acceptsRequests = false }
        let process = Process()
        process.executableURL = Sandbox.command
        process.arguments = ["compact", sandbox.store]
        process.standardError = FileHandle.nullDevice
        try process.run()
        let requests = "\(sandbox.store)/requests"
        #expect(eventually { (try? FileManager.default.contentsOfDirectory(atPath: requests))?.isEmpty == false })
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try store.close()
        let next = try Store(at: sandbox.store)
        #expect(eventually { !FileManager.default.fileExists(atPath: requests) })
        #expect(try sandbox.shale("compact", sandbox.store).status == 0)
        try next.close()
    }
}
