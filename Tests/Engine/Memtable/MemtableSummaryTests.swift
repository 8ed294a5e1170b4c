import ShaleBase
import ShaleMemtable
import ShalePlatform
import Testing

@Suite struct MemtableStatisticsTests {
    @Test func summariesCountEachNamespaceApart() throws {
        var model = try MemtableModel()
        model.insert([1], namespace: 5, value: [1, 2])
        model.insert([1], namespace: 6, kind: .put(purgeable: true, hasExpiry: false), value: [1, 2, 3])
        model.insert([1, 1], namespace: 5, kind: .put(purgeable: true, hasExpiry: true), expiry: 7)
        model.insert([1], namespace: 5, kind: .delete)
        let five = model.memtable.summary(of: NamespaceID(rawValue: 5))
        #expect(five.entries == 3)
        #expect(five.deletes == 1)
        #expect(five.purgeable == 1)
        #expect(five.expirable == 1)
        #expect(five.rawBytes == 7 + 6 + 5)
        #expect(five.purgeableRawBytes == 6)
        let all = model.memtable.summaries()
        #expect(Set(all.keys.map(\.rawValue)) == [5, 6])
        #expect(all[NamespaceID(rawValue: 6)]?.purgeableRawBytes == 8)
        #expect(model.memtable.summary(of: NamespaceID(rawValue: 7)) == MemtableSummary())
    }

    @Test func namespace0IsCountedLikeAnyOther() throws {
        var model = try MemtableModel()
        #expect(model.memtable.summaries().isEmpty)
        model.insert([1], namespace: 0)
        #expect(model.memtable.summary(of: NamespaceID(rawValue: 0)).entries == 1)
        #expect(model.memtable.summaries().count == 1)
    }

    /// More namespaces than the writer remembers, in turn.
    @Test func theLastSequenceOfEachNamespaceIsKnown() throws {
        var model = try MemtableModel()
        for round in 0..<3 {
            for namespace: UInt32 in 0..<9 { model.insert([UInt8(round)], namespace: namespace) }
        }
        for namespace: UInt32 in 0..<9 {
            let id = NamespaceID(rawValue: namespace)
            #expect(model.memtable.lastSequence(of: id) == SequenceNumber(19 + namespace))
            #expect(model.memtable.summary(of: id).entries == 3)
        }
        #expect(model.memtable.lastSequence(of: NamespaceID(rawValue: 9)) == 0)
    }

    @Test func firstAndLastSequenceBoundWhatWasInserted() throws {
        let memtable = Memtable(arena: try Arena(capacity: 1 << 20))
        for sequence: SequenceNumber in 41...50 {
            memtable.insert(
                namespace: NamespaceID(rawValue: 1), userKey: .empty, trailer: Trailer(sequence, .put), expiry: 0,
                value: .empty)
        }
        #expect(memtable.firstSequence == 41)
        #expect(memtable.lastSequence == 50)
        #expect(memtable.entryCount == 10)
    }
}

@Suite struct MiddleKeyTests {
    private static let namespace = NamespaceID(rawValue: 3)

    private static func memtable(_ keys: [[UInt8]]) throws -> Memtable {
        let memtable = Memtable(arena: try Arena(capacity: 32 << 20))
        for (index, key) in keys.enumerated() {
            withBytes(key) {
                memtable.insert(
                    namespace: namespace, userKey: $0, trailer: Trailer(SequenceNumber(index + 1), .put), expiry: 0,
                    value: .empty)
            }
        }
        return memtable
    }

    @Test(arguments: KeyShape.allCases)
    func itPartsAnyKeysInTwo(shape: KeyShape) throws {
        let random = SeededRandom(seed: testSeed ^ 13)
        let memtable = try MiddleKeyTests.memtable(shape.make(2000, random))
        let middle = try #require(memtable.middleKey)
        let smallest = try #require(memtable.smallestKey)
        let largest = try #require(memtable.largestKey)
        #expect(smallest < middle && middle <= largest, "seed \(testSeed)")
    }

    @Test(arguments: [KeyShape.random, .decimal, .dense])
    func itIsNearTheMiddleOfEvenlySpreadKeys(shape: KeyShape) throws {
        let random = SeededRandom(seed: testSeed ^ 14)
        let keys = shape.make(20_000, random)
        let memtable = try MiddleKeyTests.memtable(keys)
        let middle = try #require(memtable.middleKey?.suffix(from: EncodedKey.namespaceWidth).array())
        let before = keys.count { $0.lexicographicallyPrecedes(middle) }
        #expect((keys.count / 4...keys.count * 3 / 4).contains(before), "\(before) seed \(testSeed)")
    }

    @Test func keysThatNeverPartHaveNone() throws {
        #expect(try MiddleKeyTests.memtable([]).middleKey == nil)
        #expect(try MiddleKeyTests.memtable([[1, 2]]).middleKey == nil)
        // Each key extends the previous one, so there is no place to separate them.
        #expect(try MiddleKeyTests.memtable([[1], [1, 2], [1, 2, 3]]).middleKey == nil)
    }
}
