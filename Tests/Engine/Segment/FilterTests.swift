import ShaleBase
import ShalePlatform
import ShaleSegment
import Testing

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
