import ShaleBase
import ShalePlatform
import Testing

@testable import ShaleSegment

/// Blocks that are stored as a key part and pages of values.
@Suite struct SplitBlockTests {
    typealias Item = SplitSample.Item

    static let shapes = DataBlockParsingTests.shapes

    static func item(_ index: Int, value: [UInt8]) -> Item {
        Item(key: [0, 0, 0, 1, UInt8(index >> 8), UInt8(index & 0xff)], trailer: Trailer(9, .put), value: value)
    }

    // MARK: Round trips

    @Test(arguments: shapes.indices, SplitSample.Method.allCases)
    func aSplitBlockHasTheRawForm(_ shape: Int, _ method: SplitSample.Method) throws {
        let sample = try SplitSample(Self.shapes[shape], method)
        #expect(try sample.probe.rawBlock() == sample.raw)
        #expect(try sample.entries() == Self.shapes[shape])
    }

    @Test(arguments: SplitSample.Method.allCases, [true, false])
    func randomBlocksReadTheSame(_ method: SplitSample.Method, _ hasFixedKeys: Bool) throws {
        for seed in 1...20 {
            let random = SeededRandom(seed: UInt64(seed))
            let items = SplitSample.items(random, count: 1 + 7 * seed, hasFixedKeys: hasFixedKeys)
            let sample = try SplitSample(items, method)
            #expect(try sample.entries() == items, "seed \(seed)")
            for item in items {
                #expect(try sample.find(item.key, through: item.trailer.sequence) == item, "seed \(seed)")
            }
        }
    }

    // MARK: Lookups

    @Test(arguments: [true, false]) func aLookupAgreesWithTheLoadedBlock(_ hasFixedKeys: Bool) throws {
        for seed in 1...20 {
            let random = SeededRandom(seed: UInt64(seed))
            let items = SplitSample.items(random, count: 1 + random.below(200), hasFixedKeys: hasFixedKeys)
            let sample = try SplitSample(items)
            for key in Self.probes(items) {
                for limit in [0, 900, 996, 997, 999, 1000, Trailer.sequenceMax] {
                    let expected = items.first { $0.key == key && $0.trailer.sequence <= limit }
                    #expect(try sample.find(key, through: limit) == expected, "seed \(seed)")
                }
            }
        }
    }

    /// Keys, their neighbours, prefixes and extensions.
    private static func probes(_ items: [Item]) -> [[UInt8]] {
        let keys = Set(items.map(\.key))
        let others: [[UInt8]] = keys.flatMap { key in
            var next = key
            next[next.count - 1] &+= 1
            return [key + [0], Array(key.dropLast()), next, key + [255, 255]]
        }
        return Array(keys.union(others)) + [[], [0], [0, 0, 0, 1], [0, 0, 0, 2], [255]]
    }

    @Test(arguments: [1, 300]) func aKeyWhoseVersionsAreAllNewerIsUndecidedAtTheEnd(_ keyBytes: Int) throws {
        // More versions than a group has, and keys whose lengths differ.
        let last = [0, 0, 0, 1] + [UInt8](repeating: 9, count: keyBytes)
        let items =
            [Item(key: [0, 0, 0, 1, 3], trailer: Trailer(50, .put), value: [1])]
            + (0..<40).map { Item(key: last, trailer: Trailer(UInt64(100 - $0), .put), value: [2]) }
        let sample = try SplitSample(items)
        defer { withExtendedLifetime(sample) {} }
        let part = try sample.part()
        last.withBytes { key in
            #expect(throws: Never.self) {
                guard case .undecided = try part.find(key, through: 60) else { throw SplitSample.NotSplit() }
                guard case .found(40) = try part.find(key, through: 61) else { throw SplitSample.NotSplit() }
                guard case .found(1) = try part.find(key, through: 200) else { throw SplitSample.NotSplit() }
            }
        }
        [0, 0, 0, 1, 3].withBytes { key in
            #expect(throws: Never.self) {
                guard case .absent = try part.find(key, through: 49) else { throw SplitSample.NotSplit() }
            }
        }
    }

    // MARK: Pages

    @Test func aPageHasWholeValuesUpToItsLimit() throws {
        let lengths = [600, 600, 600, 600, 5000, 0, 10, 2048, 1, 2047]
        let sample = try SplitSample(
            lengths.enumerated().map { Self.item($0.offset, value: Array(repeating: 7, count: $0.element)) })
        let part = try sample.part()
        let pages = try (0..<part.pageCount).map { try part.page($0).entries }
        #expect(pages == [0..<3, 3..<4, 4..<5, 5..<7, 7..<8, 8..<10])
        for index in lengths.indices {
            #expect(try part.page(ofEntry: index).entries.contains(index))
            #expect(try sample.find(sample.items[index].key) == sample.items[index])
        }
    }

    @Test func aLookupReadsOnePage() throws {
        let sample = try SplitSample((0..<100).map { Self.item($0, value: Array(repeating: UInt8($0), count: 100)) })
        let page = try sample.part().page(ofEntry: 50)
        // Other pages may be damaged.
        let damaged = sample.changed { stored in
            for place in sample.keyPartLength..<stored.count
            where !(page.offset..<(page.offset + page.length)).contains(place - sample.keyPartLength) {
                stored[place] ^= 1
            }
        }
        #expect(try damaged.find(sample.items[50].key) == sample.items[50])
        #expect(throws: ParseFailure.self) { try damaged.find(sample.items[0].key) }
        #expect(throws: ParseFailure.self) { try damaged.entries() }
    }

    @Test(arguments: [SplitSample.Method.lz4, .zstd, .code, .plainCode])
    func valuesThatDoNotShrinkAreStoredAsTheyAre(_ method: SplitSample.Method) throws {
        let random = SeededRandom(seed: 3)
        let items = (0..<60).map { index in
            Self.item(index, value: (0..<100).map { _ in UInt8(truncatingIfNeeded: random.next()) })
        }
        let sample = try SplitSample(items, method)
        #expect(sample.codec == .none)
        #expect(sample.storedLength - sample.keyPartLength == 6000)
        #expect(try sample.entries() == items)
    }

    @Test(arguments: SplitSample.Method.allCases)
    func aBlockMixesValuesThatShrinkWithOthers(_ method: SplitSample.Method) throws {
        let random = SeededRandom(seed: 4)
        let items = (0..<100).map { index in
            Self.item(
                index,
                value: index % 25 == 7
                    ? (0..<3000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                    : Array(repeating: UInt8(index), count: 500))
        }
        let sample = try SplitSample(items, method)
        #expect(try sample.entries() == items)
        for item in items { #expect(try sample.find(item.key) == item) }
        if method != .none { #expect(sample.storedLength < sample.raw.count * 3 / 4) }
    }

    @Test func aValueAboveTheLimitOfCodesIsStoredAsItIs() throws {
        let items = [
            Self.item(1, value: Array(repeating: 1, count: 65_535)),
            Self.item(2, value: Array(repeating: 2, count: 65_536)),
        ]
        let sample = try SplitSample(items, .code)
        let part = try sample.part()
        #expect(sample.codec == .valueCode && part.storedLengths == .bytes(4))
        #expect(part.storedLength(0) < 10_000 && part.storedLength(1) == 65_536)
        #expect(try sample.entries() == items)
        #expect(try sample.find(items[1].key) == items[1])
    }

    @Test func aBlockOfTooManyEntriesIsNotSplit() throws {
        let deletes = { (count: Int) in
            (0..<count).map { Item(key: [0, 0, 0, 1], trailer: Trailer(UInt64(count - $0), .delete), value: []) }
        }
        #expect(throws: SplitSample.NotSplit.self) { try SplitSample(deletes(65_536)) }
        let sample = try SplitSample(deletes(65_535))
        #expect(try sample.find([0, 0, 0, 1], through: 3)?.trailer.sequence == 3)
    }

    // MARK: Keys

    @Test func keysOfOneLengthAreInGroupsIfTheyHaveMuchInCommon() throws {
        // All keys have four bytes in common, neighbours most of twenty.
        let alike = (0..<200).map { index in
            let item = Self.item(index, value: [1])
            return Item(
                key: [0, 0, 0, 1, UInt8(index / 50)] + Array(repeating: UInt8(index / 50), count: 15)
                    + [UInt8(index % 50)], trailer: item.trailer, value: item.value)
        }
        let grouped = try SplitSample(alike)
        #expect(try grouped.part().keyLengthWidth == 1)
        #expect(grouped.storedLength < grouped.raw.count / 2)
        #expect(try grouped.entries() == alike)
        let fixed = try SplitSample((0..<200).map { Self.item($0, value: [1]) })
        #expect(try fixed.part().keyLengthWidth == 0)
    }

    @Test func longKeysHaveWideLengths() throws {
        let items = (0..<40).map { index in
            Item(
                key: [0, 0, 0, 1, UInt8(index)] + Array(repeating: 5, count: 300 + index), trailer: Trailer(9, .put),
                value: [1])
        }
        let sample = try SplitSample(items)
        #expect(try sample.part().keyLengthWidth == 2)
        #expect(try sample.entries() == items)
        for item in items { #expect(try sample.find(item.key) == item) }
    }

    // MARK: Stored lengths

    @Test(arguments: [
        ([7, 7, 7], StoredLengthForm.packed(bits: 0)), ([300, 301, 303, 300], .packed(bits: 2)),
        ([0, 0xffff, 3], .bytes(2)), ([0, 0x1_0000], .bytes(4)), ([5], .bytes(1)),
        ([40, 47, 41, 43, 44], .packed(bits: 3)),
    ])
    func storedLengthsTakeTheShortestForm(_ lengths: [Int], _ form: StoredLengthForm) {
        #expect(StoredLengthForm(shortestFor: lengths) == form)
        #expect(StoredLengthForm(form.byte) == form)
        var output = ByteBuffer()
        form.encode(lengths, to: &output)
        #expect(output.count == form.byteCount(lengths.count))
    }

    @Test func anUnknownFormOfStoredLengthsIsRefused() {
        for byte in [3, 5, 0x7f, 0x91, 0xff] as [UInt8] { #expect(StoredLengthForm(byte) == nil) }
    }

    /// Lengths of values of one kind hardly differ, so they take a few bits each.
    @Test func valuesOfOneKindHavePackedLengths() throws {
        let random = SeededRandom(seed: 6)
        let items = (0..<140).map { index in
            let half = (0..<50).map { _ in UInt8(32 + random.below(95)) }
            return Self.item(index, value: half + half)
        }
        let sample = try SplitSample(items, .code)
        guard case .packed(let bits) = try sample.part().storedLengths else {
            Issue.record("not packed")
            return
        }
        #expect(bits <= 3)
        #expect(try sample.entries() == items)
        for item in items { #expect(try sample.find(item.key) == item) }
    }
}
