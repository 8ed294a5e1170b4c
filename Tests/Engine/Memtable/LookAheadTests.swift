import ShaleBase
import ShaleMemtable
import ShalePlatform
import Testing

/// Looking ahead of lookups is a hint: whatever the keys are, it changes nothing.
@Suite struct LookAheadTests {
    @Test(arguments: KeyShape.allCases)
    func lookupsFindTheSameAfterwards(shape: KeyShape) throws {
        let random = SeededRandom(seed: testSeed ^ 21)
        var model = try MemtableModel(capacity: 32 << 20)
        for key in shape.make(1000, random) {
            model.insert(key, value: [UInt8](repeating: 1, count: random.below(20)))
            // Large enough that the memtable looks ahead.
            model.insert(key, namespace: 2, value: [UInt8](repeating: 2, count: 2000))
        }
        #expect(model.memtable.allocatedBytes > 1 << 20)
        let keys = model.keys.filter { $0.starts(with: [0, 0, 0, 1]) }
        for round in 0..<40 {
            var group = (0..<(round % 20)).map { _ in keys[random.below(keys.count)] }
            // Keys that are missing, empty, or longer than any other.
            if round % 3 == 0 { group += [[0, 0, 0, 1], [0, 0, 0, 1] + random.bytes(30)] }
            let userKeys = group.map { Array($0[4...]) }
            var ends: [Int] = []
            for key in userKeys { ends.append((ends.last ?? 0) + key.count) }
            withBytes(userKeys.flatMap(\.self)) { bytes in
                model.memtable.lookAhead(bytes, from: 0, ends: ends[...], in: NamespaceID(rawValue: 1))
            }
            for key in group {
                let expected = model.versions.last { $0.key == key }
                #expect(model.memtable.get(key, through: .max) == expected, "seed \(testSeed)")
            }
        }
    }
}
