import Foundation
import ShaleNodes
import TestSupport
import Testing

/// Files with checksums that only this user can access, in a directory that no name or link leads
/// out of.
@Suite struct FileStorageTests {
    private func everything(_ folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
    }

    @Test func filesAreForNobodyElse() throws {
        let fixture = try NodeFixture()
        try fixture.files.child(named: "a").set("v", forKey: "k")
        for name in try everything(fixture.folder + "-files") {
            let attributes = try FileManager.default.attributesOfItem(atPath: fixture.folder + "-files/" + name)
            let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
            #expect(attributes[.posixPermissions] as? Int == (isFolder ? 0o700 : 0o600), "\(name)")
        }
        #expect(try everything(fixture.filesFolder).last == "nodes/n-a/keys/k-k")
    }

    @Test func nothingIsMadeWithoutBeingAsked() throws {
        let fixture = try NodeFixture()
        _ = try fixture.files.child(named: "a").keys()
        _ = try fixture.files.child(named: "a").value(forKey: "k", as: Int.self)
        try fixture.files.child(named: "a").clear()
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
        try fixture.files.child(named: "a").set(1, forKey: "k")
        try FileManager.default.createSymbolicLink(
            atPath: fixture.filesFolder + "/nodes/n-b", withDestinationPath: outside)
        let linked = fixture.files.child(named: "b")
        #expect(code { () throws(StorageError) in try linked.set(1, forKey: "k") } != nil)
        #expect(code { () throws(StorageError) in try linked.value(forKey: "k", as: Int.self) } != nil)
        #expect(code { () throws(StorageError) in try linked.clear() } != nil)
        #expect(try everything(outside) == ["keys", "keys/k-k"])
    }

    @Test func whatOthersPutThereStays() throws {
        let fixture = try NodeFixture()
        try fixture.files.child(named: "a").set(1, forKey: "k")
        let notes = fixture.filesFolder + "/nodes/n-a/README"
        try Data("mine".utf8).write(to: URL(fileURLWithPath: notes))
        try fixture.files.clearHierarchy()
        #expect(try everything(fixture.filesFolder) == ["nodes", "nodes/n-a", "nodes/n-a/README"])
    }

    @Test func manyThreadsMayUseOneTree() async throws {
        let fixture = try NodeFixture()
        let files = fixture.files
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    for round in 0..<20 {
                        try files.child(named: "n\(round % 2)").set(number, forKey: "k\(round)")
                        _ = try files.child(named: "n0").value(forKey: "k\(round)", as: Int.self)
                        if number == 0, round % 7 == 6 { try files.clearHierarchy() }
                    }
                }
            }
            try await group.waitForAll()
        }
        try files.clearHierarchy()
        #expect(try everything(fixture.filesFolder) == [])
    }
}
