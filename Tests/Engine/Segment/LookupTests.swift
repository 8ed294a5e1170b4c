import ShaleBase
import ShalePlatform
import ShaleSegment
import Testing

@Suite struct LookupTests {
    static let makers = [
        EntryMaker(count: 600, namespaces: [1, 2, 9]),
        EntryMaker(count: 600, keyLengths: 0...3, alphabet: 3),
        EntryMaker(count: 600, keyLengths: 8...40, alphabet: 2),
        EntryMaker(count: 600, keyLengths: 1...2, versionChance: 0.95),
        EntryMaker(count: 600, sequenceMax: Int(Trailer.sequenceMax)),
        EntryMaker(
            count: 600, keyLengths: 20...20, valueLengths: 0...0, versionChance: 0.1, deleteChance: 0, expiryChance: 1,
            alphabet: 4),
    ]

    @Test(arguments: makers.indices, [64, 700, 16 << 10])
    func aLookupFindsTheNewestVersionAtEverySequence(_ maker: Int, _ blockBytes: Int) throws {
        let entries = LookupTests.makers[maker].make(SeededRandom(seed: UInt64(maker + 10)))
        let fixture = try SegmentFixture()
        let segment = try fixture.segment(entries, options: SegmentWriterOptions(blockBytes: blockBytes))
        let model = Model(entries)
        for entry in entries {
            for limit in [entry.sequence, entry.sequence - 1, entry.sequence + 1, Trailer.sequenceMax, 0] {
                #expect(try segment.lookUp(entry.key, through: limit) == model.newest(entry.key, through: limit))
            }
        }
    }

    @Test(arguments: [0, 10])
    func absentKeysAreNotFound(_ filterBits: Int) throws {
        let entries = EntryMaker(count: 300, namespaces: [1, 2], keyLengths: 1...6, alphabet: 5)
            .make(SeededRandom(seed: 30))
        let fixture = try SegmentFixture()
        let options = SegmentWriterOptions(blockBytes: 200, filterBitsPerKey: filterBits)
        let segment = try fixture.segment(entries, options: options)
        let model = Model(entries)
        for key in probes(around: entries) where key.count >= 4 {
            #expect(try segment.lookUp(key) == model.newest(key, through: Trailer.sequenceMax))
        }
        try segment.verify()
    }

    @Test func versionsThatFillBlocksAreFoundInTheNextOnes() throws {
        // The versions of a key share a block up to 1 MiB; these continue over several blocks.
        let value = [UInt8](repeating: 7, count: 400_000)
        var entries = [TestEntry.put(1, "a", 50)]
        for sequence in stride(from: SequenceNumber(40), to: 20, by: -1) {
            entries.append(TestEntry(key: [0, 0, 0, 1, 98], sequence: sequence, kind: .put, value: value))
        }
        entries.append(.put(1, "ba", 3))
        entries.append(.put(1, "c", 2))
        let fixture = try SegmentFixture()
        let segment = try fixture.segment(entries)
        #expect(try segment.blockCount() > 4)
        let model = Model(entries)
        for limit in SequenceNumber(0)...45 {
            let key = [UInt8]([0, 0, 0, 1, 98])
            #expect(try segment.lookUp(key, through: limit) == model.newest(key, through: limit))
        }
        #expect(try segment.lookUp([0, 0, 0, 1, 98, 97])?.sequence == 3)
        #expect(try EntryCursor(segment, headOffset: 4).entries() == entries)
        #expect(try EntryCursor(segment, headOffset: 4).entries(.backward) == entries.reversed())
        for key in probes(around: [entries[0], entries[3], entries[21]]) {
            let cursor = EntryCursor(segment, headOffset: 0)
            #expect(try cursor.entries(from: key) == model.forward(from: key))
            #expect(try cursor.entries(from: key, .backward) == model.backward(from: key))
        }
        try segment.verify()
    }
}

@Suite struct FilterTests {
    @Test(arguments: [(8, 0.035), (10, 0.018), (16, 0.004)])
    func falsePositivesAreRareAndFalseNegativesNone(_ bits: Int, _ rateMax: Double) throws {
        let entries = EntryMaker(
            count: 10_000, keyLengths: 12...12, valueLengths: 0...0, versionChance: 0, deleteChance: 0, expiryChance: 0
        ).make(SeededRandom(seed: 120))
        let fixture = try SegmentFixture()
        let segment = try fixture.segment(entries, options: SegmentWriterOptions(filterBitsPerKey: bits))
        for entry in entries { #expect(try segment.mayContain(entry.key.lent { XXH3.hash($0) })) }
        let random = SeededRandom(seed: 121)
        var positives = 0
        for _ in 0..<20_000 where try segment.mayContain(random.next()) { positives += 1 }
        #expect(Double(positives) / 20_000 < rateMax)
    }

    @Test func versionsAreCountedOnce() throws {
        let many = (0..<1000).map { TestEntry.put(1, "same", SequenceNumber(2000 - $0)) }
        let fixture = try SegmentFixture()
        let one = try fixture.write([many[0]], number: 1, options: SegmentWriterOptions(codec: .none))
        let thousand = try fixture.write(many, number: 2, options: SegmentWriterOptions(codec: .none))
        let filterBytes = try [UInt64(1), 2].map { try SegmentImage(fixture, number: $0).tailBlocks[1].length }
        #expect(filterBytes[0] == filterBytes[1])
        #expect(one.entryCount == 1 && thousand.entryCount == 1000)
    }

    @Test func withoutBitsThereIsNoFilter() throws {
        let fixture = try SegmentFixture()
        let segment = try fixture.segment([.put(1, "a", 1)], options: SegmentWriterOptions(filterBitsPerKey: 0))
        #expect(try segment.mayContain(12345))
        #expect(try segment.lookUp([0, 0, 0, 1, 97])?.sequence == 1)
        #expect(try segment.lookUp([0, 0, 0, 1, 98]) == nil)
        try segment.verify()
    }
}
