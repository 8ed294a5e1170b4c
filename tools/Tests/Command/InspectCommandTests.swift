import Foundation
import Shale
import Testing

@testable import ShaleCommand

@Suite struct InspectCommandTests {
    /// Returns an open store with an older version of a key in a segment and a newer one in the log.
    private func sandbox() throws -> (Sandbox, Store) {
        let sandbox = try Sandbox()
        let store = try Store(at: sandbox.store)
        try store.common["n"].set("old", forKey: "k")
        try store.common["n"].set(7, forKey: "l")
        try store.engine.flush()
        try store.common["n"].set("new", forKey: "k", options: .purgeable)
        return (sandbox, store)
    }

    private func segment(_ sandbox: Sandbox) throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: sandbox.store + "/segments")
        return try #require(names.first)
    }

    @Test func aStoreWithoutLogsSaysSo() throws {
        let (sandbox, store) = try sandbox()
        try store.close()
        let looked = try sandbox.shale("inspect", "wal", sandbox.store)
        #expect(looked.status == 0 && looked.output.isEmpty)
        #expect(looked.errors == "there is no log: all entries are in segments\n")
        #expect(try sandbox.shale("inspect", "wal", sandbox.store, "--quiet").errors.isEmpty)
    }

    @Test func findListsEveryVersionBesideTheOwner() throws {
        let (sandbox, store) = try sandbox()
        let found = try sandbox.shale("find", sandbox.store, "n", "k", "--json")
        #expect(found.status == 0, "\(found.errors)")
        let versions = try #require(try found.json()["versions"] as? [[String: Any]])
        let states = versions.compactMap { $0["state"] as? String }.filter { $0 != "unreferenced" }
        #expect(states == ["visible", "hidden"])
        #expect(versions[0]["type"] as? String == "string")
        #expect(versions[0]["purgeable"] as? Bool == true)
        #expect((versions[0]["file"] as? String)?.hasPrefix("wal/") == true)
        let csv = try sandbox.shale("find", sandbox.store, "n", "k", "--format", "csv").output
        #expect(
            csv.hasPrefix(
                "sequence,state,operation,type,bytes,purgeable,expiresAt,level,file,offset,block\n3,visible,put,"))
        #expect(try sandbox.shale("find", sandbox.store, "n", "none").status == 1)
        #expect(try sandbox.shale("find", sandbox.store, "m", "k").status == 1)
        try store.close()
    }

    @Test func filesAreShownToTheirBytes() throws {
        let (sandbox, store) = try sandbox()
        let manifest = try sandbox.shale("inspect", "manifest", sandbox.store, "--json").json()
        let facts = try #require(manifest["facts"] as? [[String: Any]])
        #expect(facts.contains { $0["fact"] as? String == "namespaceCreated" && $0["namespace"] as? String == "n" })
        #expect((manifest["segments"] as? [[String: Any]])?.first?["entries"] as? Int == 2)
        let log = try sandbox.shale("inspect", "wal", sandbox.store, "--format", "ndjson", "--quiet").output
        #expect(log.contains(#""key":"k","namespace":"n","namespaceID":1,"#))
        let name = try segment(sandbox)
        let inspected = try sandbox.shale("inspect", "segment", sandbox.store, name, "--verify", "--json").json()
        #expect((inspected["parts"] as? [[String: Any]])?.map { $0["name"] as? String }.first == "data")
        #expect((inspected["blocks"] as? [[String: Any]])?.count == 1)
        let block = try sandbox.shale("inspect", "block", sandbox.store, name, "0")
        #expect(block.output == "1\tput\tn\tk\tstring 5 bytes\n2\tput\tn\tl\tint 10 bytes\n")
        #expect(try sandbox.shale("inspect", "block", sandbox.store, name, "9").status == 64)
        #expect(try sandbox.shale("inspect", "segment", sandbox.store, "xyz").status == 64)
        try store.close()
    }

    @Test func damageIsNamedWhatHoldsIsShownAndTheCodeIs2() throws {
        let (sandbox, store) = try sandbox()
        let name = try segment(sandbox)
        let url = URL(fileURLWithPath: "\(sandbox.store)/segments/\(name)")
        var bytes = try Data(contentsOf: url)
        bytes[4] ^= 1
        try bytes.write(to: url)
        let found = try sandbox.shale("find", sandbox.store, "n", "k", "--json")
        #expect(found.status == 2)
        #expect((try found.json()["versions"] as? [[String: Any]])?.first?["state"] as? String == "visible")
        let finding = try #require((try found.json()["findings"] as? [[String: Any]])?.first)
        #expect(finding["kind"] as? String == "damaged")
        #expect(finding["file"] as? String == "segments/\(name)")
        #expect(finding["offset"] as? Int == 0)
        #expect(found.errors.contains("damaged:"))
        #expect(try sandbox.shale("inspect", "segment", sandbox.store, name).status == 0, "its data was not read")
        #expect(try sandbox.shale("inspect", "segment", sandbox.store, name, "--verify").status == 2)
        #expect(try sandbox.shale("inspect", "block", sandbox.store, name, "0").status == 2)
        #expect(try sandbox.shale("inspect", "segment", sandbox.store, "99").status == 2)
        try store.close()
    }

    @Test func directoriesThatAreNoStoresAreErrors() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.shale("inspect", "manifest", sandbox.store).status == 5)
        #expect(try sandbox.shale("find", sandbox.path, "n", "k").status == 5)
    }
}
