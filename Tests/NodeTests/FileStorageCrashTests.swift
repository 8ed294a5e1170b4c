import ShaleNodes
import ShaleSimulation
import Testing

/// Mission, section 4: a crash at any call leaves each key with its old value or its new one, and what a write has returned for is
/// there.
@Suite struct FileStorageCrashTests {
    private static let policies: [(name: String, policy: CrashPolicy)] = [
        ("drop all", .dropAll), ("keep all", .keepAll), ("data only", .dataOnly), ("names only", .namesOnly),
        ("random", .random), ("kill", .processKill),
    ]

    /// What a script has done when a crash comes: how many of its steps have returned.
    private struct Crash {
        let files: SimulatedFileSystem
        let done: Int
        let place: String
    }

    private static let long = String(repeating: "X", count: 300)

    /// A key is set to each of its step's numbers in turn, in three places.
    private static func step(_ number: Int, _ root: FileStorage) throws {
        let storage = [root, root.child(named: "a"), root.child(named: "a").child(named: long)][number % 3]
        try storage.set(number, forKey: number % 2 == 0 ? "k" : long)
    }

    @Test func noWriteIsHalf() throws {
        let files = SimulatedFileSystem(seed: 7)
        let root = try FileStorage(at: "/tree", files)
        var crashes: [Crash] = []
        var done = 0
        files.willPerform = { kind, path in
            guard OperationSet.changes.contains(kind) else { return }
            for (name, policy) in Self.policies {
                crashes.append(
                    Crash(
                        files: files.crashClone(policy, seed: UInt64(crashes.count)), done: done,
                        place: "\(name), before \(kind.rawValue) \(path)"))
            }
        }
        for number in 0..<9 {
            try Self.step(number, root)
            done += 1
        }
        files.willPerform = nil
        #expect(crashes.count > 200)
        for crash in crashes {
            do {
                try Self.verify(crash)
            } catch {
                Issue.record("\(crash.place): \(error)")
            }
        }
    }

    private static func verify(_ crash: Crash) throws {
        let root = try FileStorage(at: "/tree", crash.files)
        let a = root.child(named: "a")
        for (index, storage) in [root, a, a.child(named: long)].enumerated() {
            for (parity, key) in ["k", long].enumerated() {
                let numbers = (0..<9).filter { $0 % 3 == index && $0 % 2 == parity }
                let value = try storage.value(forKey: key, as: Int.self)
                // The newest that had returned, or the one that was being written.
                let last = numbers.last { $0 < crash.done }
                #expect(value == last || (value == crash.done && numbers.contains(crash.done)), "\(crash.place)")
            }
        }
        try root.set(100, forKey: "k")
        try root.clearHierarchy()
        #expect(try a.keys() == [] && root.keys() == [])
    }
}
