import Foundation
import ShaleBase
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleKit

/// Files with checksums that only this user can access, in a directory that no name or link leads
/// out of.
@Suite struct FileStorageTests {
    private func everything(_ folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
    }

    @Test func filesAreForNobodyElse() throws {
        let fixture = try NodeFixture()
        try fixture.files.child("a").set("v", forKey: "k")
        for name in try everything(fixture.folder + "-files") {
            let attributes = try FileManager.default.attributesOfItem(atPath: fixture.folder + "-files/" + name)
            let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
            #expect(attributes[.posixPermissions] as? Int == (isFolder ? 0o700 : 0o600), "\(name)")
        }
        #expect(try everything(fixture.filesFolder).last == "nodes/n-a/keys/k-k")
    }

    @Test func nothingIsMadeWithoutBeingAsked() throws {
        let fixture = try NodeFixture()
        _ = try fixture.files.child("a").keys()
        _ = try fixture.files.child("a").value(forKey: "k", as: Int.self)
        try fixture.files.child("a").truncate()
        #expect(try everything(fixture.filesFolder) == [])
        let missing = fixture.folder + "-files/none"
        #expect(code { () throws(StorageError) in try FileStorage(at: missing, creating: false) } == .missing)
    }

    @Test func everyChangedByteIsAnError() throws {
        let fixture = try NodeFixture()
        try fixture.files.set("value", forKey: "k")
        let file = fixture.filesFolder + "/keys/k-k"
        let good = try Data(contentsOf: URL(fileURLWithPath: file))
        for index in good.indices {
            var bad = good
            bad[index] ^= 0x10
            try bad.write(to: URL(fileURLWithPath: file))
            let found = code { () throws(StorageError) in try fixture.files.value(forKey: "k", as: String.self) }
            #expect(found == .corruption || found == .newerFormat, "\(index)")
        }
        for count in 0..<good.count {
            try good.prefix(count).write(to: URL(fileURLWithPath: file))
            #expect(
                code { () throws(StorageError) in try fixture.files.value(forKey: "k", as: String.self) } == .corruption
            )
        }
        try good.write(to: URL(fileURLWithPath: file))
        #expect(try fixture.files.value(forKey: "k", as: String.self) == "value")
    }

    @Test func aFileOfAnotherKeyIsFoundOut() throws {
        let fixture = try NodeFixture()
        try fixture.files.set("value", forKey: "a")
        try FileManager.default.moveItem(
            atPath: fixture.filesFolder + "/keys/k-a", toPath: fixture.filesFolder + "/keys/k-b")
        #expect(
            code { () throws(StorageError) in try fixture.files.value(forKey: "b", as: String.self) } == .corruption)
        #expect(try fixture.files.value(forKey: "a", as: String.self) == nil)
    }

    @Test func linksLeadNowhere() throws {
        let fixture = try NodeFixture()
        let outside = fixture.folder + "-files/outside"
        try FileManager.default.createDirectory(atPath: outside + "/keys", withIntermediateDirectories: true)
        try Data("x".utf8).write(to: URL(fileURLWithPath: outside + "/keys/k-k"))
        try fixture.files.child("a").set(1, forKey: "k")
        try FileManager.default.createSymbolicLink(
            atPath: fixture.filesFolder + "/nodes/n-b", withDestinationPath: outside)
        let linked = fixture.files.child("b")
        #expect(code { () throws(StorageError) in try linked.set(1, forKey: "k") } != nil)
        #expect(code { () throws(StorageError) in try linked.value(forKey: "k", as: Int.self) } != nil)
        #expect(code { () throws(StorageError) in try linked.truncate() } != nil)
        #expect(try everything(outside) == ["keys", "keys/k-k"])
    }

    @Test func filesOfOthersStay() throws {
        let fixture = try NodeFixture()
        try fixture.files.child("a").set(1, forKey: "k")
        let notes = fixture.filesFolder + "/nodes/n-a/README"
        try Data("mine".utf8).write(to: URL(fileURLWithPath: notes))
        try fixture.files.truncateSubtree()
        #expect(try everything(fixture.filesFolder) == ["nodes", "nodes/n-a", "nodes/n-a/README"])
    }

    @Test func manyThreadsMayUseOneTree() async throws {
        let fixture = try NodeFixture()
        let files = fixture.files
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    for round in 0..<20 {
                        try files.child("n\(round % 2)").set(number, forKey: "k\(round)")
                        _ = try files.child("n0").value(forKey: "k\(round)", as: Int.self)
                        if number == 0, round % 7 == 6 { try files.truncateSubtree() }
                    }
                }
            }
            try await group.waitForAll()
        }
        try files.truncateSubtree()
        #expect(try everything(fixture.filesFolder) == [])
    }
}

/// ShaleKit.docc, "How nodes are stored": the format on disk does not change.
@Suite struct FileFormatTests {
    private static let long = String(repeating: "x", count: 201)

    @Test func namesStayAsTheyAre() throws {
        #expect(NodeFileName.literal("name_1", .key) == "k-name_1")
        #expect(NodeFileName.literal("", .node) == "n-")
        #expect(NodeFileName.literal("../A é", .key) == "k--2e-2e-2f-41-20-c3-a9")
        #expect(NodeFileName.literal(String(repeating: "x", count: 200), .key)?.utf8.count == 202)
        #expect(NodeFileName.literal(Self.long, .key) == nil && NodeFileName.literal(Self.long, .node) == nil)
        #expect(NodeFileName.literal(String(repeating: "A", count: 67), .node) == nil, "spelt in 201 bytes")
        #expect(NodeFileName.longKeys(7) == "kh-0000000000000007" && NodeFileName.register(7) == "nr-0000000000000007")
        #expect(NodeFileName.longNode(7, 0) == "nh-0000000000000007")
        #expect(NodeFileName.longNode(7, 12) == "nh-0000000000000007-12")
        for name in ["k-a b", "k--2", "k--GG", "k--ff", "k--61", "n-a", "kh-00", "a"] {
            #expect(NodeFileName.key(name) == nil)
        }
    }

    @Test func filesStayAsTheyAre() throws {
        let files = SimulatedFileSystem(seed: 1)
        let storage = try FileStorage(at: "/tree", files).child("a.b")
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
        try FileStorage(at: "/tree", files).child(Self.long).set(7, forKey: Self.long)
        let hash = NameBucket.hash(Array(Self.long.utf8)).hexadecimalDigits
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
