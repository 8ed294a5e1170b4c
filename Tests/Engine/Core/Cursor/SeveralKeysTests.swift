import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

/// Reads of several keys at once return the same as single reads.
@Suite struct SeveralKeysTests {
    private static func key(_ i: Int) -> [UInt8] { Array("key\(100_000 + i)".utf8) }

    /// Versions in memtables, L0 and below, tombstones and purged entries.
    private func filled() throws -> (TestStore, NamespaceID) {
        let store = try TestStore()
        store.files.recordsOperations = false
        let (_, ns) = (try store.namespace("a"), try store.namespace("n"))
        for round in 0..<4 {
            for i in stride(from: round, to: 3000, by: round + 1) {
                try store.engine.put(
                    Array("value \(round) \(i)".utf8), forKey: SeveralKeysTests.key(i), in: ns,
                    options: PutOptions(isPurgeable: i % 11 == 0))
            }
            for i in stride(from: round, to: 3000, by: 13) { try store.engine.delete(SeveralKeysTests.key(i), in: ns) }
            switch round {
            case 0: try store.engine.compact()
            case 1: try store.engine.purge([ns])
            case 2: try store.engine.flush()
            default: break
            }
        }
        return (store, ns)
    }

    @Test(arguments: [false, true])
    func manyKeysGiveWhatSingleReadsGive(_ atSnapshot: Bool) throws {
        let (store, ns) = try filled()
        let random = SeededRandom(seed: atSnapshot ? 3 : 4)
        let snapshot = atSnapshot ? store.engine.snapshot() : nil
        if atSnapshot {
            for i in stride(from: 0, to: 3000, by: 3) {
                try store.engine.put([9], forKey: SeveralKeysTests.key(i), in: ns)
            }
            try store.engine.truncate([ns])
        }
        for count in [0, 1, 7, 8, 9, 100, 1000] {
            // Some keys twice, some missing.
            let keys = (0..<count).map { _ in SeveralKeysTests.key(Int(random.next() % 3300)) }
            let expected = try keys.map { try store.engine.value(forKey: $0, in: ns, at: snapshot) }
            #expect(try store.engine.values(forKeys: keys, in: ns, at: snapshot) == expected)
            var seen = 0
            try store.engine.withValues(forKeys: keys, in: ns, at: snapshot) { (index, value) in
                var copy: [UInt8]?
                if let value { copy = unsafe value.withUnsafeBytes { unsafe [UInt8]($0) } }
                if index == seen, copy == expected[index] { seen += 1 }
            }
            #expect(seen == count)
        }
    }

    @Test func badKeysAndNamespacesThrow() throws {
        let (store, ns) = try filled()
        let tooLong = [UInt8](repeating: 1, count: FormatLimits.keyBytes + 1)
        #expect(throws: StorageError.self) { try store.engine.values(forKeys: [[1], tooLong], in: ns) }
        var calls = 0
        #expect(throws: StorageError.self) {
            try store.engine.withValues(forKeys: [[1], [2], [3]], in: ns) { (index, _) throws(StorageError) in
                calls += 1
                if index == 1 { throw StorageError(.invalidArgument, "enough") }
            }
        }
        #expect(calls == 2)
        try store.engine.drop([ns])
        #expect(throws: StorageError.self) { try store.engine.values(forKeys: [[1]], in: ns) }
    }
}
