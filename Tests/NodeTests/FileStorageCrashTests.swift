import ShaleNodes
import ShaleSimulation
import Testing

/// Mission, section 4: a crash at any call leaves each key with its old value or its new one, and what a write has returned for is
/// there.
@Suite struct FileStorageCrashTests {
    private static let long = String(repeating: "X", count: 300)

    /// A key is set to each of its step's numbers in turn, in three places.
    private static func step(_ number: Int, _ root: FileStorage) throws {
        let storage = [root, root.child(named: "a"), root.child(named: "a").child(named: long)][number % 3]
        try storage.set(number, forKey: number % 2 == 0 ? "k" : long)
    }

    @Test func noWriteIsHalf() throws {
        let files = SimulatedFileSystem(seed: 7)
        let root = try FileStorage(at: "/tree", files)
        var done = 0
        let crashes = try files.crashes(mark: { done }) {
            while done < 9 {
                try Self.step(done, root)
                done += 1
            }
        }
        #expect(crashes.count > 200)
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
        let root = try FileStorage(at: "/tree", crash.files)
        let a = root.child(named: "a")
        for (index, storage) in [root, a, a.child(named: long)].enumerated() {
            for (parity, key) in ["k", long].enumerated() {
                let numbers = (0..<9).filter { $0 % 3 == index && $0 % 2 == parity }
                let value = try storage.value(forKey: key, as: Int.self)
                // The newest that had returned, or the one that was being written.
                let last = numbers.last { $0 < crash.mark }
                #expect(value == last || (value == crash.mark && numbers.contains(crash.mark)), "\(crash.place)")
            }
        }
        try root.set(100, forKey: "k")
        try root.clearHierarchy()
        #expect(try a.keys() == [] && root.keys() == [])
    }
}
