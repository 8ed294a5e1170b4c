import ShaleBase
import ShaleSimulation
import Testing

@testable import ShaleNodes

/// DESIGN.md, section 33: what is on disk stays as it is.
@Suite struct FileFormatTests {
    @Test func namesStayAsTheyAre() throws {
        #expect(try NodeFileName.of("name_1", .key) == "k-name_1")
        #expect(try NodeFileName.of("", .node) == "n-")
        #expect(try NodeFileName.of("../A é", .key) == "k--2e-2e-2f-41-20-c3-a9")
        #expect(try NodeFileName.of(String(repeating: "x", count: 200), .key).utf8.count == 202)
        #if Encryption
            #expect(
                try NodeFileName.of(String(repeating: "x", count: 201), .node) == "nh-"
                    + NameDigest.text([UInt8](repeating: 120, count: 201)))
        #else
            #expect(throws: StorageError.self) { try NodeFileName.of(String(repeating: "x", count: 201), .node) }
        #endif
        for name in ["k-a b", "k--2", "k--GG", "k--ff", "n-a", "kh-00", "a"] { #expect(NodeFileName.name(name) == nil) }
    }

    @Test func filesStayAsTheyAre() throws {
        let files = SimulatedFileSystem(seed: 1)
        let storage = try FileStorage(at: "/tree", files).child(named: "a.b")
        try storage.set(7, forKey: "k")
        let file = try #require(files.read("/tree/nodes/n-a-2eb/keys/k-k"))
        // Header, length 15, the key behind its length, envelope: codec 4, no flags, 7.
        let content: [UInt8] = [1, 0, 0, 0, UInt8(ascii: "k"), 4, 0, 7, 0, 0, 0, 0, 0, 0, 0]
        #expect(
            file.dropLast(8) == Array("SHALEVAL".utf8) + [1, 0, 0, 0, 0, 0, 0, 0, 15, 0, 0, 0, 0, 0, 0, 0] + content)
        #expect(file.count == 24 + 15 + 8)
        #expect(files.paths() == ["/tree/nodes/n-a-2eb/keys/k-k"])
    }
}
