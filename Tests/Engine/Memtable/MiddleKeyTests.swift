import ShaleBase
import ShaleMemtable
import ShalePlatform
import Testing

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
