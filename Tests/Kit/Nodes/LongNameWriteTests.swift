import Foundation
import ShaleEngine
import ShaleKit
import ShaleSimulation
import Testing

/// A crash at any call of a write below a long name, which creates directories on the way.
@Suite struct LongNameCrashTests {
    /// Too long for a component of a path, and for a key.
    private static let long = String(repeating: "🙂", count: 4_200)

    private static func open(_ files: SimulatedFileSystem) throws(StorageError) -> Store {
        var options = Store.Options()
        options.engine.durability = .synced
        options.engine.syncInterval = nil
        options.purgeInterval = nil
        return try Store(
            at: "/store", options: options,
            environment: EngineEnvironment(fileSystem: files, scheduling: .inline))
    }

    private static func writes(_ store: Store) -> NumberedWrites<NamespaceStorage> {
        let root = NamespaceStorage(store.common["nodes"], of: store)
        let child = root.child(long)
        return NumberedWrites([root, child, child.child("a").child(long)], keys: ["k", long])
    }

    @Test func aCrashLeavesEachKeyOldOrNew() throws {
        let files = SimulatedFileSystem(seed: 8)
        let store = try Self.open(files)
        let crashes = try Self.writes(store).crashes(files)
        try store.close()
        #expect(crashes.count > 100)
        #expect(crashes.failures { try Self.verify($0) } == [])
    }

    private static func verify(_ crash: RecordedCrash<Int>) throws {
        let store = try open(crash.files)
        let writes = writes(store)
        try writes.expectOldOrNew(after: crash)
        try writes.storages[1].set(100, forKey: "k")
        #expect(try writes.storages[1].value(forKey: "k", as: Int.self) == 100)
        try store.close()
    }
}

/// Several threads write below long names while others clear them.
@Suite struct LongNameRaceTests {
    /// Too long for a component of a path, and for a key.
    private static let long = String(repeating: "🙂", count: 4_200)

    @Test func manyWhoEnterANameEnterItOnce() async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/shale-long-names-\(UUID().uuidString)"
        let store = try Store(at: folder)
        let root = NamespaceStorage(store.common["nodes"], of: store)
        for round in 0..<3 {
            let name = Self.long + "\(round)"
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let node = root.child(name).child(name)
                        try node.set(number, forKey: "k\(number)")
                        try node.set(number, forKey: Self.long + "\(number)")
                    }
                }
                try await group.waitForAll()
            }
            #expect(try root.child(name).child(name).keys().count == 16)
        }
        try await store.close()
        try FileManager.default.removeItem(atPath: folder)
    }

    @Test func noWriteIsLostToAClearingBeforeIt() async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/shale-long-names-\(UUID().uuidString)"
        let store = try Store(at: folder)
        let root = NamespaceStorage(store.common["nodes"], of: store)
        let node = root.child(Self.long)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for _ in 0..<40 { try root.truncateSubtree() } }
            for number in 0..<3 {
                group.addTask {
                    for round in 0..<40 { try node.set(round, forKey: "k\(number)") }
                }
            }
            try await group.waitForAll()
        }
        for number in 0..<3 { try node.set(number, forKey: "k\(number)") }
        #expect(try node.keys() == ["k0", "k1", "k2"])
        try await store.close()
        try FileManager.default.removeItem(atPath: folder)
    }
}
