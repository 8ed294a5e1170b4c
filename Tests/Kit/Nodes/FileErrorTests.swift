import Foundation
import ShaleBase
import ShaleKit
import ShaleSimulation
import TestSupport
import Testing

/// An error is thrown. It never appears as a missing key or as a successful write.
///
/// The original swallowed errors that its signatures promised to throw.
@Suite struct FileErrorTests {
    private static let keys = ["k", String(repeating: "🙂", count: 10_000)]

    /// Returns a tree in which a node has two values, and its disk.
    private func tree() throws -> (FileStorage, SimulatedFileSystem) {
        let files = SimulatedFileSystem(seed: 3)
        let root = try FileStorage(at: "/tree", files)
        for key in Self.keys { try root.child(Self.keys[1]).set("old", forKey: key) }
        return (root, files)
    }

    private func fails(_ kind: OperationKind, _ call: (FileStorage) throws(StorageError) -> Void) throws -> Bool {
        let (root, files) = try tree()
        files.inject(FaultRule(on: [kind], when: .always, repeatsForever: true, .error(5)))
        return code { () throws(StorageError) in try call(root.child(Self.keys[1])) } == .ioFailure
    }

    @Test(arguments: keys) func aReadThatFailsIsNoMissingKey(_ key: String) throws {
        for kind in [OperationKind.openDirectory, .open, .read, .size] {
            #expect(
                try fails(kind) { (node) throws(StorageError) in _ = try node.value(forKey: key, as: String.self) },
                "\(kind)")
        }
        #expect(try fails(.openDirectory) { (node) throws(StorageError) in _ = try node.contains(key) })
        #expect(try fails(.list) { (node) throws(StorageError) in _ = try node.keys() })
        #expect(try fails(.openDirectory) { (node) throws(StorageError) in _ = try node.keys() })
    }

    @Test(arguments: keys) func aWriteThatFailsSaysSoAndLeavesTheOldValue(_ key: String) throws {
        for kind in [OperationKind.openDirectory, .create, .write, .sync, .rename] {
            let (root, files) = try tree()
            let node = root.child(Self.keys[1])
            files.inject(FaultRule(on: [kind], when: .always, repeatsForever: true, .error(5)))
            #expect(code { () throws(StorageError) in try node.set("new", forKey: key) } == .ioFailure, "\(kind)")
            files.removeFaultRules()
            #expect(try node.value(forKey: key, as: String.self) == "old", "\(kind)")
            #expect(try node.keys() == Self.keys)
        }
        #expect(try fails(.syncDirectory) { (node) throws(StorageError) in try node.set("new", forKey: key) })
        #expect(try fails(.remove) { (node) throws(StorageError) in try node.remove(key) })
        #expect(try fails(.syncDirectory) { (node) throws(StorageError) in try node.remove(key) })
    }

    @Test func aClearingThatFailsSaysSo() throws {
        for kind in [OperationKind.openDirectory, .list, .remove, .syncDirectory] {
            #expect(try fails(kind) { (node) throws(StorageError) in try node.truncate() }, "\(kind)")
            #expect(try fails(kind) { (node) throws(StorageError) in try node.truncateSubtree() }, "\(kind)")
        }
    }

    @Test func noSpaceIsReportedAndLeavesNothing() throws {
        let (root, files) = try tree()
        files.inject(FaultRule(on: [.write], when: .always, repeatsForever: true, .error(28)))
        #expect(code { () throws(StorageError) in try root.set("new", forKey: "new") } == .noSpace)
        files.removeFaultRules()
        #expect(try root.keys() == [])
        #expect(!files.paths().contains { $0.contains(".shale-") }, "the unfinished file is gone")
    }

    @Test func aDamagedRegisterIsAnErrorForItsNamesOnly() throws {
        let (root, files) = try tree()
        try root.child("other").set(1, forKey: "k")
        files.inject(
            FaultRule(
                on: [.read], path: "/tree/nodes/nr-*", when: .always, repeatsForever: true,
                .corruptRead(byte: 60, xor: 4)))
        let node = root.child(Self.keys[1])
        #expect(code { () throws(StorageError) in try node.value(forKey: "k", as: String.self) } == .corruption)
        #expect(code { () throws(StorageError) in try node.keys() } == .corruption)
        #expect(code { () throws(StorageError) in try node.set("new", forKey: "k") } == .corruption)
        #expect(try root.child("other").value(forKey: "k", as: Int.self) == 1)
    }
}

/// Node files without read permission are `.locked`, never missing, on a real file system.
@Suite(.enabled(if: Unprivileged.isPossible, "root on this system may read everything"))
struct FilePermissionTests {
    @Test func anUnreadableFileIsLocked() throws {
        try Unprivileged.runInFolder { (folder) throws in
            func mail() throws(StorageError) -> FileStorage { try FileStorage(at: folder).child("mail") }
            let keys = ["k", String(repeating: "x", count: 300)]
            for key in keys { try mail().set("v", forKey: key) }
            let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
            let places = [folder] + names.map { folder + "/" + $0 }
            #expect(places.count == 6, "root, nodes, mail, keys, and a file for each key")
            var lockedCount = 0
            for place in places {
                try Unprivileged.withoutPermissions(for: place) {
                    for key in keys {
                        var value: String? = "v"
                        let failure = code { () throws(StorageError) in
                            value = try mail().value(forKey: key, as: String.self)
                        }
                        #expect(value == "v", "nothing is missing")
                        #expect(failure == nil || failure == .locked, "\(place)")
                        if failure == .locked { lockedCount += 1 }
                    }
                }
            }
            // Four directories hide two keys each, and two files hide one each.
            #expect(lockedCount == 10)
            #expect(try mail().keys() == keys)
        }
    }
}

/// A crash at any call of a write to files.
@Suite struct FileStorageCrashTests {
    private static let long = String(repeating: "X", count: 300)

    private static func writes(_ files: SimulatedFileSystem) throws -> NumberedWrites<FileStorage> {
        let root = try FileStorage(at: "/tree", files)
        let child = root.child("a")
        return NumberedWrites([root, child, child.child(long)], keys: ["k", long])
    }

    @Test func noWriteIsHalf() throws {
        let files = SimulatedFileSystem(seed: 7)
        let crashes = try Self.writes(files).crashes(files)
        #expect(crashes.count > 200)
        #expect(crashes.failures { try Self.verify($0) } == [])
    }

    private static func verify(_ crash: RecordedCrash<Int>) throws {
        let writes = try writes(crash.files)
        try writes.expectOldOrNew(after: crash)
        let root = writes.storages[0]
        try root.set(100, forKey: "k")
        try root.truncateSubtree()
        for storage in writes.storages { #expect(try storage.keys() == []) }
    }
}
