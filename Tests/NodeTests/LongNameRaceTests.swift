import Foundation
import ShaleEngine
import ShaleNodes
import ShaleSimulation
import Testing

/// Mission, section 4: names that are entered in a register, by several at once and until a crash.
@Suite struct LongNameRaceTests {
    /// Too long for a part of a path, and for a key.
    private static let long = String(repeating: "🙂", count: 4_200)

    private static func open(_ files: SimulatedFileSystem) throws(StorageError) -> Store {
        var options = StoreOptions()
        options.engine.durability = .synced
        options.engine.syncInterval = nil
        options.purgeInterval = nil
        return try Store(
            at: "/store", options: options,
            environment: EngineEnvironment(fileSystem: files, scheduling: .inline))
    }

    @Test func manyWhoEnterANameEnterItOnce() async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/shale-long-names-\(UUID().uuidString)"
        let store = try Store(at: folder)
        let root = NamespaceStorage(store.common["nodes"], of: store)
        for round in 0..<3 {
            let name = Self.long + "\(round)"
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let node = root.child(named: name).child(named: name)
                        try node.set(number, forKey: "k\(number)")
                        try node.set(number, forKey: Self.long + "\(number)")
                    }
                }
                try await group.waitForAll()
            }
            #expect(try root.child(named: name).child(named: name).keys().count == 16)
        }
        try store.close()
        try FileManager.default.removeItem(atPath: folder)
    }

    @Test func noWriteIsLostToAClearingBeforeIt() async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/shale-long-names-\(UUID().uuidString)"
        let store = try Store(at: folder)
        let root = NamespaceStorage(store.common["nodes"], of: store)
        let node = root.child(named: Self.long)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for _ in 0..<40 { try root.clearHierarchy() } }
            for number in 0..<3 {
                group.addTask {
                    for round in 0..<40 { try node.set(round, forKey: "k\(number)") }
                }
            }
            try await group.waitForAll()
        }
        for number in 0..<3 { try node.set(number, forKey: "k\(number)") }
        #expect(try node.keys() == ["k0", "k1", "k2"])
        try store.close()
        try FileManager.default.removeItem(atPath: folder)
    }

    private struct Crash {
        let files: SimulatedFileSystem
        let done: Int
        let place: String
    }

    /// Sets a key to its step's number, in places that are entered on the way.
    private static func step(_ number: Int, _ root: NamespaceStorage) throws {
        let node = [root, root.child(named: long), root.child(named: long).child(named: "a").child(named: long)]
        try node[number % 3].set(number, forKey: number % 2 == 0 ? "k" : long)
    }

    @Test func aCrashLeavesEachKeyOldOrNew() throws {
        let files = SimulatedFileSystem(seed: 8)
        let store = try Self.open(files)
        let root = NamespaceStorage(store.common["nodes"], of: store)
        var crashes: [Crash] = []
        var done = 0
        let policies: [(String, CrashPolicy)] = [
            ("drop all", .dropAll), ("keep all", .keepAll), ("random", .random), ("kill", .processKill),
        ]
        files.willPerform = { kind, path in
            guard OperationSet.changes.contains(kind) else { return }
            for (name, policy) in policies {
                crashes.append(
                    Crash(
                        files: files.crashClone(policy, seed: UInt64(crashes.count)), done: done,
                        place: "\(name), step \(done), before \(kind.rawValue) \(path)"))
            }
        }
        for number in 0..<9 {
            try Self.step(number, root)
            done += 1
        }
        files.willPerform = nil
        try store.close()
        #expect(crashes.count > 100)
        for crash in crashes {
            do {
                try Self.verify(crash)
            } catch {
                Issue.record("\(crash.place): \(error)")
            }
        }
    }

    private static func verify(_ crash: Crash) throws {
        let store = try open(crash.files)
        let root = NamespaceStorage(store.common["nodes"], of: store)
        let a = root.child(named: long)
        for (index, node) in [root, a, a.child(named: "a").child(named: long)].enumerated() {
            for (parity, key) in ["k", long].enumerated() {
                let numbers = (0..<9).filter { $0 % 3 == index && $0 % 2 == parity }
                let value = try node.value(forKey: key, as: Int.self)
                let last = numbers.last { $0 < crash.done }
                #expect(value == last || (value == crash.done && numbers.contains(crash.done)), "\(crash.place)")
            }
        }
        try a.set(100, forKey: "k")
        #expect(try a.value(forKey: "k", as: Int.self) == 100)
        try store.close()
    }
}
