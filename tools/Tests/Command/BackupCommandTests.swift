import Foundation
import Shale
import Testing

@testable import ShaleCommand

@Suite struct BackupCommandTests {
    @Test func backupsAreMadeListedVerifiedPrunedAndRestored() throws {
        let sandbox = try Sandbox()
        let backups = "\(sandbox.path)/backups"
        var dumps: [String] = []
        for round in 0..<3 {
            let store = try Store(at: sandbox.store)
            for number in 0..<500 { try store.common["a"].set("\(round) \(number)", forKey: "\(number * round)") }
            try store.close()
            #expect(try sandbox.shale("backup", "create", sandbox.store, backups, "--json").status == 0)
            dumps.append(try sandbox.shale("dump", sandbox.store, "-q").output)
        }
        let list = try sandbox.shale("backup", "list", backups, "--json").json()["backups"] as? [[String: Any]]
        #expect(list?.map { $0["number"] as? Int } == [1, 2, 3])
        #expect(try sandbox.shale("backup", "verify", backups).status == 0)
        for number in 1...3 {
            let target = "\(sandbox.path)/restored\(number)"
            #expect(try sandbox.shale("restore", backups, "--number", "\(number)", "--into", target).status == 0)
            #expect(try sandbox.shale("dump", target, "-q").output == dumps[number - 1])
        }
        #expect(try sandbox.shale("backup", "prune", backups, "--keep", "1").output.contains("1, 2"))
        #expect(try sandbox.shale("restore", backups, "--number", "1", "--into", "\(sandbox.path)/x").status == 5)
        #expect(try sandbox.shale("restore", backups, "--into", sandbox.store).status == 64)
    }

    @Test func aCheckpointIsAStoreOfItsOwn() throws {
        let sandbox = try Sandbox()
        let store = try Store(at: sandbox.store)
        try store.common["a"].set("b", forKey: "c")
        try store.close()
        let copy = "\(sandbox.path)/copy"
        #expect(try sandbox.shale("checkpoint", sandbox.store, "--into", copy).status == 0)
        #expect(try sandbox.shale("get", copy, "a", "c").output == "b\n")
    }

    @Test func theStoreMayBeInUse() throws {
        let sandbox = try Sandbox()
        let store = try Store(at: sandbox.store)
        let backups = "\(sandbox.path)/backups"
        for number in 0..<500 { try store.common["a"].set("first \(number)", forKey: "\(number)") }
        let first = try sandbox.shale("dump", sandbox.store, "-q").output
        #expect(try sandbox.shale("checkpoint", sandbox.store, "--into", "\(sandbox.path)/copy").status == 0)
        #expect(try sandbox.shale("backup", "create", sandbox.store, backups).status == 0)
        for number in 0..<500 { try store.common["a"].set("second \(number)", forKey: "\(number)") }
        #expect(try sandbox.shale("backup", "create", sandbox.store, backups).status == 0)
        let second = try sandbox.shale("dump", sandbox.store, "-q").output
        #expect(try sandbox.shale("verify", sandbox.store).status == 0)
        try store.close()
        #expect(try sandbox.shale("backup", "verify", backups).status == 0)
        for (number, content) in [("1", first), ("2", second)] {
            let target = "\(sandbox.path)/restored\(number)"
            #expect(try sandbox.shale("restore", backups, "--number", number, "--into", target).status == 0)
            #expect(try sandbox.shale("dump", target, "-q").output == content)
        }
        #expect(try sandbox.shale("dump", "\(sandbox.path)/copy", "-q").output == first)
    }
}
