import ShaleNodes
import ShaleSimulation
import Testing

/// Nine writes of their own numbers, in three storages, each under one of two keys; and what may be there after a crash
/// among them: each key has its old value or its new one, and what a write has returned for is there.
struct NumberedWrites<Storage: CodableStorage> {
    static var count: Int { 9 }

    let storages: [Storage]
    let keys: [String]

    /// - Parameters:
    ///   - storages: three.
    ///   - keys: two.
    init(_ storages: [Storage], keys: [String]) {
        self.storages = storages
        self.keys = keys
    }

    /// The crashes' marks are how many writes had returned.
    func crashes(_ files: SimulatedFileSystem) throws -> [RecordedCrash<Int>] {
        var done = 0
        return try files.crashes(mark: { done }) {
            while done < Self.count {
                try storages[done % 3].set(done, forKey: keys[done % 2])
                done += 1
            }
        }
    }

    /// Of the storages that a crash left.
    func expectOldOrNew(after crash: RecordedCrash<Int>) throws {
        for (index, storage) in storages.enumerated() {
            for (parity, key) in keys.enumerated() {
                let numbers = (0..<Self.count).filter { $0 % 3 == index && $0 % 2 == parity }
                let value = try storage.value(forKey: key, as: Int.self)
                // The newest that had returned, or the one that was being written.
                let last = numbers.last { $0 < crash.mark }
                #expect(value == last || (value == crash.mark && numbers.contains(crash.mark)), "\(crash.place)")
            }
        }
    }
}
