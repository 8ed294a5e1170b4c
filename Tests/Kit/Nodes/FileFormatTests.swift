import ShaleBase
import ShaleSimulation
import Testing

@testable import ShaleNodes

/// ShaleNodes.docc, "How nodes are stored": the format on disk does not change.
@Suite struct FileFormatTests {
    private static let long = String(repeating: "x", count: 201)

    @Test func namesStayAsTheyAre() throws {
        #expect(NodeFileName.spelt("name_1", .key) == "k-name_1")
        #expect(NodeFileName.spelt("", .node) == "n-")
        #expect(NodeFileName.spelt("../A é", .key) == "k--2e-2e-2f-41-20-c3-a9")
        #expect(NodeFileName.spelt(String(repeating: "x", count: 200), .key)?.utf8.count == 202)
        #expect(NodeFileName.spelt(Self.long, .key) == nil && NodeFileName.spelt(Self.long, .node) == nil)
        #expect(NodeFileName.spelt(String(repeating: "A", count: 67), .node) == nil, "spelt in 201 bytes")
        #expect(NodeFileName.longKeys(7) == "kh-0000000000000007" && NodeFileName.register(7) == "nr-0000000000000007")
        #expect(NodeFileName.longNode(7, 0) == "nh-0000000000000007")
        #expect(NodeFileName.longNode(7, 12) == "nh-0000000000000007-12")
        for name in ["k-a b", "k--2", "k--GG", "k--ff", "k--61", "n-a", "kh-00", "a"] {
            #expect(NodeFileName.key(name) == nil)
        }
    }

    @Test func filesStayAsTheyAre() throws {
        let files = SimulatedFileSystem(seed: 1)
        let storage = try FileStorage(at: "/tree", files).child(named: "a.b")
        try storage.set(7, forKey: "k")
        let file = try #require(files.read("/tree/nodes/n-a-2eb/keys/k-k"))
        // Header, length 19, key and envelope behind their lengths; codec 4, no flags, value 7.
        let content: [UInt8] = [1, 0, 0, 0, UInt8(ascii: "k"), 10, 0, 0, 0, 4, 0, 7, 0, 0, 0, 0, 0, 0, 0]
        #expect(
            file.dropLast(8) == Array("SHALEVAL".utf8) + [1, 0, 0, 0, 0, 0, 0, 0, 19, 0, 0, 0, 0, 0, 0, 0] + content)
        #expect(file.count == 24 + 19 + 8)
        #expect(files.paths() == ["/tree/nodes/n-a-2eb/keys/k-k"])
    }

    @Test func filesOfLongNamesStayAsTheyAre() throws {
        let files = SimulatedFileSystem(seed: 1)
        try FileStorage(at: "/tree", files).child(named: Self.long).set(7, forKey: Self.long)
        let hash = NameBucket.digits(NameBucket.hash(Array(Self.long.utf8)))
        let (register, key) = ("/tree/nodes/nr-\(hash)", "/tree/nodes/nh-\(hash)/keys/kh-\(hash)")
        #expect(Set(files.paths()) == [register, key])
        let name = [201, 0, 0, 0] + Array(Self.long.utf8)
        #expect(try #require(files.read(register)).dropFirst(24).dropLast(8) == name + [0, 0, 0, 0])
        #expect(
            try #require(files.read(key)).dropFirst(24).dropLast(8) == name + [
                10, 0, 0, 0, 4, 0, 7, 0, 0, 0, 0, 0, 0, 0,
            ])
    }
}
