import Foundation
import Testing

@testable import ShaleCommand

@Suite struct RepairCommandTests {
    private func filled() throws -> Sandbox {
        let sandbox = try Sandbox()
        let lines = (0..<3000).map { "{\"k\":\"\(10_000 + $0)\",\"v\":\"value \($0 * 7919)\"}\n" }
        let file = try sandbox.write(lines.joined(), to: "x.ndjson")
        #expect(try sandbox.shale("import", sandbox.store, "n", file, "--key", "k").status == 0)
        #expect(try sandbox.shale("compact", sandbox.store).status == 0)
        return sandbox
    }

    private func segment(_ sandbox: Sandbox) throws -> URL {
        let directory = URL(fileURLWithPath: sandbox.store).appendingPathComponent("segments")
        let files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
        return try #require(files.first)
    }

    @Test func aSoundStoreIsCopiedAndTheCodeIs0() throws {
        let sandbox = try filled()
        let done = try sandbox.shale("repair", sandbox.store, "--into", "\(sandbox.path)/new", "--json")
        #expect(done.status == 0)
        #expect(try done.json()["placedEntries"] as? Int == 3000)
        #expect(
            try sandbox.shale("scan", "\(sandbox.path)/new", "n").output
                == sandbox.shale("scan", sandbox.store, "n").output)
    }

    @Test func aLostBlockIsNamedAndTheCodeIs2() throws {
        let sandbox = try filled()
        let file = try segment(sandbox)
        var bytes = try Data(contentsOf: file)
        bytes[bytes.count / 3] ^= 1
        try bytes.write(to: file)
        let done = try sandbox.shale("repair", sandbox.store, "--into", "\(sandbox.path)/new", "--json")
        #expect(done.status == 2)
        let report = try done.json()
        let loss = try #require((report["losses"] as? [[String: Any]])?.first)
        #expect((loss["file"] as? String)?.hasPrefix("segments/") == true)
        #expect(loss["offset"] is Int && loss["firstKey"] is String && loss["lastKey"] is String)
        let lost = try #require(loss["entries"] as? Int)
        #expect(lost > 0 && report["placedEntries"] as? Int == 3000 - lost)
        #expect(try sandbox.shale("verify", "\(sandbox.path)/new").status == 0)
        #expect(try Data(contentsOf: file) == bytes)
        #expect(try sandbox.shale("repair", sandbox.store, "--into", "\(sandbox.path)/new").status == 64)
    }
}
