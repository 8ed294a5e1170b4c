import ShaleBase
import ShaleMemtable
import ShalePlatform
import Testing

/// The number of keys in a range of a memtable.
@Suite struct MemtableCountTests {
    private static let namespace = NamespaceID(rawValue: 1)

    /// Inserts versions over keys of one shape. Without `isMixed` all of them are plain puts, so that no entry is read.
    private func fill(_ shape: KeyShape, isMixed: Bool, _ random: SeededRandom) throws -> MemtableModel {
        var model = try MemtableModel(capacity: 32 << 20)
        for key in shape.make(600, random) {
            for _ in 0..<(random.chance(0.2) ? 1 + random.below(4) : 1) {
                var kind = EntryKind.put
                if isMixed {
                    kind = random.chance(0.2) ? .delete : .put(purgeable: false, hasExpiry: random.chance(0.3))
                }
                model.insert(key, kind: kind, expiry: Int64(random.below(100)))
            }
            // Entries of other namespaces change nothing.
            model.insert(key, namespace: random.chance(0.5) ? 0 : 0x0100_0000, kind: .delete)
        }
        return model
    }

    private func isPresent(_ trailer: Trailer, _ expiry: Int64) -> Bool {
        !trailer.kind.isDelete && !(trailer.kind.hasExpiry && expiry <= 50)
    }

    private func expected(
        _ model: MemtableModel, _ lower: [UInt8], _ upper: [UInt8], _ limit: SequenceNumber
    ) -> Int {
        var newest: [[UInt8]: Version] = [:]
        for version in model.versions where version.trailer.sequence <= limit {
            let isBelow = version.key.lexicographicallyPrecedes(lower)
            if !isBelow, version.key.lexicographicallyPrecedes(upper) { newest[version.key] = version }
        }
        return newest.values.count { isPresent($0.trailer, $0.expiry) }
    }

    private func count(
        _ model: MemtableModel, _ lower: [UInt8], _ upper: [UInt8], _ limit: SequenceNumber
    ) -> Int {
        withBytes(lower) { lower in
            withBytes(upper) { upper in
                model.memtable.keyCount(
                    of: Self.namespace, from: lower, below: upper, through: limit, truncatedThrough: 0, isPresent)
            }
        }
    }

    /// Returns a bound inside the namespace: a key, shortened, extended or changed in one byte.
    private func bound(_ keys: [[UInt8]], _ random: SeededRandom) -> [UInt8] {
        var key = keys[random.below(keys.count)]
        switch random.below(4) {
        case 0: break
        case 1: key = Array(key.prefix(4 + random.below(key.count - 3)))
        case 2: key += random.bytes(1 + random.below(3))
        default: if key.count > 4 { key[4 + random.below(key.count - 4)] = UInt8(random.below(256)) }
        }
        return key
    }

    @Test(arguments: KeyShape.allCases, [false, true])
    func rangesHaveTheCountOfASortedArray(shape: KeyShape, isMixed: Bool) throws {
        let random = SeededRandom(seed: testSeed ^ 11)
        let model = try fill(shape, isMixed: isMixed, random)
        let keys = model.keys.filter { $0.starts(with: [0, 0, 0, 1]) }
        #expect(
            count(model, [0, 0, 0, 1], [0, 0, 0, 2], model.sequence)
                == expected(model, [0, 0, 0, 1], [0, 0, 0, 2], model.sequence), "seed \(testSeed)")
        for round in 0..<15 {
            let lower = round % 5 == 0 ? [0, 0, 0, 1] : bound(keys, random)
            let upper = round % 7 == 0 ? [0, 0, 0, 2] : bound(keys, random)
            let limit = round % 3 == 0 ? SequenceNumber(random.below(Int(model.sequence) + 1)) : model.sequence
            #expect(
                count(model, lower, upper, limit) == expected(model, lower, upper, limit),
                "seed \(testSeed), range \(lower.prefix(40)) ..< \(upper.prefix(40)), limit \(limit)")
        }
    }

    @Test func truncatedPutsAreAskedFor() throws {
        var model = try MemtableModel()
        for byte in 0..<100 { model.insert([UInt8(byte)]) }
        let count = withBytes([0, 0, 0, 1]) { lower in
            withBytes([0, 0, 0, 2]) { upper in
                model.memtable.keyCount(
                    of: Self.namespace, from: lower, below: upper, through: model.sequence, truncatedThrough: 40
                ) { (trailer, _) in trailer.sequence > 40 }
            }
        }
        #expect(count == 60)
    }

    @Test func anEmptyMemtableHasNoKeys() throws {
        #expect(count(try MemtableModel(), [0, 0, 0, 1], [0, 0, 0, 2], 5) == 0)
    }
}
