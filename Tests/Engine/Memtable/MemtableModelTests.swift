import ShaleBase
import ShaleMemtable
import ShalePlatform
import Testing

@Suite struct MemtableModelTests {
    /// Inserts `count` versions over keys of one shape; some keys get several versions.
    private func fill(_ shape: KeyShape, _ count: Int, _ random: SeededRandom) throws -> MemtableModel {
        var model = try MemtableModel(capacity: 32 << 20)
        let keys = shape.make(count, random)
        for key in keys {
            let repeats = random.chance(0.1) ? 1 + random.below(5) : 1
            for _ in 0..<repeats {
                let isDelete = random.chance(0.1)
                let kind: EntryKind =
                    isDelete ? .delete : .put(purgeable: random.chance(0.2), hasExpiry: random.chance(0.2))
                let value = isDelete ? [] : random.bytes(random.below(30))
                let namespace: UInt32 = random.chance(0.9) ? 1 : 0x0100_0000
                model.insert(
                    key, namespace: namespace, kind: kind, expiry: Int64(bitPattern: random.next()), value: value)
            }
        }
        return model
    }

    /// Returns present keys and absent ones: shortened, extended, or changed in one byte.
    private func probes(_ count: Int, _ model: MemtableModel, _ random: SeededRandom) -> [[UInt8]] {
        let keys = model.keys
        var probes: [[UInt8]] = [[], [0, 0, 0, 1], [0xff, 0xff, 0xff, 0xff, 0xff], [0, 0, 0, 0, 5]]
        for _ in 0..<count {
            var key = keys[random.below(keys.count)]
            switch random.below(4) {
            case 0: break
            case 1: key = Array(key.prefix(random.below(key.count + 1)))
            case 2: key += random.bytes(1 + random.below(3))
            default: key[random.below(key.count)] = UInt8(random.below(256))
            }
            probes.append(key)
        }
        return probes
    }

    @Test(arguments: KeyShape.allCases)
    func scansDeliverEveryVersionInOrder(shape: KeyShape) throws {
        let model = try fill(shape, 3000, SeededRandom(seed: testSeed))
        let sorted = model.sorted
        #expect(try model.memtable.scan(from: nil, .forward) == sorted, "seed \(testSeed)")
        #expect(try model.memtable.scan(from: nil, .backward) == sorted.reversed(), "seed \(testSeed)")
        #expect(model.memtable.smallestKey?.array() == sorted.first?.key)
        #expect(model.memtable.largestKey?.array() == sorted.last?.key)
        #expect(model.memtable.entryCount == sorted.count)
    }

    @Test(arguments: KeyShape.allCases)
    func seeksStandWhereASortedArrayWould(shape: KeyShape) throws {
        let random = SeededRandom(seed: testSeed ^ 1)
        let model = try fill(shape, 400, random)
        let sorted = model.sorted
        for probe in probes(60, model, random) {
            let split = sorted.firstIndex { !$0.key.lexicographicallyPrecedes(probe) } ?? sorted.count
            let above = try model.memtable.scan(from: probe, .forward, headOffset: 4)
            let below = try model.memtable.scan(from: probe, .backward, headOffset: 4)
            #expect(above == Array(sorted[split...]), "seed \(testSeed), probe \(probe.prefix(40))")
            #expect(below == sorted[..<split].reversed(), "seed \(testSeed), probe \(probe.prefix(40))")
        }
    }

    @Test(arguments: KeyShape.allCases)
    func getsFindTheNewestVersionAtOrBelowTheLimit(shape: KeyShape) throws {
        let random = SeededRandom(seed: testSeed ^ 2)
        let model = try fill(shape, 2000, random)
        let byKey = Dictionary(grouping: model.versions, by: \.key)
        for probe in probes(300, model, random) + model.keys.prefix(500) {
            let versions = byKey[probe] ?? []
            let limit = random.chance(0.5) ? model.sequence : UInt64(random.below(Int(model.sequence) + 1))
            let expected = versions.last { $0.trailer.sequence <= limit }
            #expect(model.memtable.get(probe, through: limit) == expected, "seed \(testSeed)")
            let newest = withBytes(probe) { model.memtable.newestSequence(of: $0) }
            #expect(newest == versions.last?.trailer.sequence, "seed \(testSeed)")
        }
    }
}
