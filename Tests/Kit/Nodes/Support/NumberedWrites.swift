import ShaleNodes
import ShaleSimulation
import Testing

/// Nine writes of their own numbers to three storages, each under one of two keys, and the permitted values after a
/// crash.
///
/// Each key has its old value or its new one, and every returned write is there.
struct NumberedWrites<Storage: CodableStorage> {
    static var count: Int { 9 }

    let storages: [Storage]
    let keys: [String]

    /// Writes to three storages, under two keys.
    init(_ storages: [Storage], keys: [String]) {
        self.storages = storages
        self.keys = keys
    }

    /// Makes the writes and returns the crashes. The marks are the numbers of returned writes.
    func crashes(_ files: SimulatedFileSystem) throws -> [RecordedCrash<Int>] {
        var done = 0
        return try files.crashes(mark: { done }) {
            while done < Self.count {
                try storages[done % 3].set(done, forKey: keys[done % 2])
                done += 1
            }
        }
    }

    /// Checks the storages that a crash left.
    func expectOldOrNew(after crash: RecordedCrash<Int>) throws {
        for (index, storage) in storages.enumerated() {
            for (parity, key) in keys.enumerated() {
                let numbers = (0..<Self.count).filter { $0 % 3 == index && $0 % 2 == parity }
                let value = try storage.value(forKey: key, as: Int.self)
                // The newest returned write, or the write in progress.
                let last = numbers.last { $0 < crash.mark }
                #expect(value == last || (value == crash.mark && numbers.contains(crash.mark)), "\(crash.place)")
            }
        }
    }
}
