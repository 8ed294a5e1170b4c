import Foundation
import Shale
import Testing

@testable import ShaleCommand

@Suite struct ExitCodeTests {
    private func filled() throws -> Sandbox {
        let sandbox = try Sandbox()
        let file = try sandbox.write((0..<2000).map { "{\"k\":\($0)}\n" }.joined(), to: "x.ndjson")
        #expect(try sandbox.shale("import", sandbox.store, "n", file, "--key", "k").status == 0)
        return sandbox
    }

    @Test func aKeyOrNamespaceThatIsNotThereIs1() throws {
        let sandbox = try filled()
        #expect(try sandbox.shale("get", sandbox.store, "n", "7").status == 0)
        #expect(try sandbox.shale("get", sandbox.store, "n", "missing").status == 1)
        #expect(try sandbox.shale("get", sandbox.store, "m", "7").status == 1)
        #expect(try sandbox.shale("scan", sandbox.store, "m").status == 1)
    }

    @Test func aStoreThatIsNotThereIs5AndIsNotMade() throws {
        let sandbox = try Sandbox()
        for command in [["get", "x", "n", "k"], ["stats"], ["compact"], ["purge"], ["verify"]] {
            var arguments = [command[0], sandbox.store]
            if command.count > 1 { arguments += command[2...] }
            #expect(try sandbox.run(arguments).status == 5, "\(command)")
        }
        #expect(!FileManager.default.fileExists(atPath: sandbox.store))
    }

    @Test func wrongUsageIs64() throws {
        let sandbox = try filled()
        #expect(try sandbox.shale("nonsense").status == 64)
        #expect(try sandbox.shale("get", sandbox.store, "n").status == 64)
        #expect(try sandbox.shale("get", sandbox.store, "n", "xyz", "--hex").status == 64)
        #expect(try sandbox.shale("scan", sandbox.store, "n", "--prefix", "a", "--from", "b").status == 64)
        #expect(try sandbox.shale("import", sandbox.store, "n", "x.unknown").status == 64)
    }

    @Test func aFileThatCanNotBeReadIs5() throws {
        let sandbox = try Sandbox()
        let done = try sandbox.shale("import", sandbox.store, "n", "\(sandbox.path)/none.ndjson", "--key", "k")
        #expect(done.status == 5)
        #expect(done.errors.contains("none.ndjson"))
    }

    @Test func helpIs0AndLeadsWithExamples() throws {
        let sandbox = try Sandbox()
        for command in [
            "import", "get", "put", "delete", "scan", "namespaces", "drop", "stats", "find", "inspect", "big", "watch",
            "tail", "report", "compact", "purge", "verify", "repair", "touch", "batch", "options", "users", "keys",
            "diff", "shell", "query", "collections", "cluster",
            "dump", "load", "copy", "checkpoint", "backup", "restore", "demo",
        ] {
            let help = try sandbox.shale(command, "--help")
            #expect(help.status == 0)
            let examples = try #require(help.output.range(of: "EXAMPLES"))
            #expect(examples.lowerBound < (try #require(help.output.range(of: "OPTIONS"))).lowerBound)
        }
    }

    @Test func aStoreInUseIs3ForWritersAndOpenForReaders() throws {
        let sandbox = try filled()
        let store = try Store(at: sandbox.store)
        try store.common["n"].set("new", forKey: "later")
        #expect(try sandbox.shale("delete", sandbox.store, "n", "later").status == 3)
        #expect(try sandbox.shale("drop", sandbox.store, "n", "--yes").status == 3)
        #expect(try sandbox.shale("get", sandbox.store, "n", "later").output == "new\n")
        #expect(try sandbox.shale("scan", sandbox.store, "n", "--count").output == "2001\n")
        #expect(try sandbox.shale("stats", sandbox.store).status == 0)
        #expect(try sandbox.shale("verify", sandbox.store).status == 0)
        #expect(try sandbox.shale("purge", sandbox.store, "--dry-run").status == 0)
        try store.close()
    }

    @Test func aDamagedStoreIs2WithTheFileNamed() throws {
        let sandbox = try filled()
        let segments = "\(sandbox.store)/segments"
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: segments).first)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: "\(segments)/\(name)"))
        bytes[100] ^= 0x40
        try bytes.write(to: URL(fileURLWithPath: "\(segments)/\(name)"))
        let before = try content(of: sandbox.store)
        let text = try sandbox.shale("verify", sandbox.store)
        #expect(text.status == 2)
        #expect(text.output.contains(name))
        #expect(try sandbox.shale("verify", sandbox.store, "--threads", "1").output.contains(name))
        #expect(try sandbox.shale("verify", sandbox.store, "--threads", "0").status == 64)
        let losses = try sandbox.shale("verify", sandbox.store, "--format", "csv", "--rows", "losses")
        #expect(losses.status == 2 && losses.output.hasPrefix("file,offset,bytes,reason,entries,"))
        #expect(losses.output.split(separator: "\n").dropFirst().first?.contains(name) == true)
        let found = try sandbox.shale("verify", sandbox.store, "--format", "ndjson", "--rows", "problems")
        #expect(found.status == 2 && found.output.contains(#""code":"corruption""#))
        let report = try sandbox.shale("verify", sandbox.store, "--json")
        #expect(report.status == 2)
        let problems = try #require(try report.json()["problems"] as? [[String: Any]])
        #expect(problems.first?["code"] as? String == "corruption")
        #expect((problems.first?["file"] as? String)?.contains(name) == true)
        let scan = try sandbox.shale("scan", sandbox.store, "n", "--json")
        #expect(scan.status == 2)
        #expect(scan.errors.contains("\"exitCode\":2"))
        #expect(try content(of: sandbox.store) == before, "looking at damage changes nothing")
    }

    private func content(of store: String) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: store) {
            files[name] = FileManager.default.contents(atPath: "\(store)/\(name)")
        }
        return files
    }
}
