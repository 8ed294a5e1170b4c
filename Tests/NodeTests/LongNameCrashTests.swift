import ShaleEngine
import ShaleNodes
import ShaleSimulation
import Testing

/// Mission, section 4: a crash at any call of a write below a long name leaves each key with its old value or its new one, and what a write has
/// returned for is there.
@Suite struct LongNameCrashTests {
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

    /// Sets a key to its step's number, in places that are entered on the way.
    private static func step(_ number: Int, _ root: NamespaceStorage) throws {
        let node = [root, root.child(named: long), root.child(named: long).child(named: "a").child(named: long)]
        try node[number % 3].set(number, forKey: number % 2 == 0 ? "k" : long)
    }

    @Test func aCrashLeavesEachKeyOldOrNew() throws {
        let files = SimulatedFileSystem(seed: 8)
        let store = try Self.open(files)
        let root = NamespaceStorage(store.common["nodes"], of: store)
        var done = 0
        let crashes = try files.crashes(mark: { done }) {
            while done < 9 {
                try Self.step(done, root)
                done += 1
            }
        }
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

    /// The mark is how many steps have returned.
    private static func verify(_ crash: RecordedCrash<Int>) throws {
        let store = try open(crash.files)
        let root = NamespaceStorage(store.common["nodes"], of: store)
        let a = root.child(named: long)
        for (index, node) in [root, a, a.child(named: "a").child(named: long)].enumerated() {
            for (parity, key) in ["k", long].enumerated() {
                let numbers = (0..<9).filter { $0 % 3 == index && $0 % 2 == parity }
                let value = try node.value(forKey: key, as: Int.self)
                let last = numbers.last { $0 < crash.mark }
                #expect(value == last || (value == crash.mark && numbers.contains(crash.mark)), "\(crash.place)")
            }
        }
        try a.set(100, forKey: "k")
        #expect(try a.value(forKey: "k", as: Int.self) == 100)
        try store.close()
    }
}
