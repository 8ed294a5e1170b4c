import ShaleBase
import ShalePlatform
import ShaleSegment
import Testing

@Suite struct SegmentCursorTests {
    static let options = [
        ScanOptions(), ScanOptions(fillCache: false), ScanOptions(fillCache: false, readAheadBytes: 2000),
        ScanOptions(fillCache: false, readAheadBytes: 1 << 20), .compaction,
    ]

    @Test(arguments: LookupTests.makers.indices, options.indices)
    func seeksAgreeWithASortedArray(_ maker: Int, _ option: Int) throws {
        let entries = LookupTests.makers[maker].make(SeededRandom(seed: UInt64(maker + 40)))
        let fixture = try SegmentFixture()
        let segment = try fixture.segment(entries, options: SegmentWriterOptions(blockBytes: 500))
        let model = Model(entries)
        let cursor = EntryCursor(segment, headOffset: 0, options: SegmentCursorTests.options[option])
        let random = SeededRandom(seed: UInt64(maker))
        let keys = probes(around: entries)
        for _ in 0..<40 {
            let key = keys[random.below(keys.count)]
            #expect(try cursor.entries(from: key, .forward) == model.forward(from: key))
            #expect(try cursor.entries(from: key, .backward) == model.backward(from: key))
        }
        #expect(try cursor.entries() == entries)
        #expect(try cursor.entries(.backward) == entries.reversed())
    }

    @Test(arguments: [0, 3, 4, 5, 6, 8, 30])
    func headsAreThoseBehindTheMergesPrefix(_ headOffset: Int) throws {
        for (index, maker) in LookupTests.makers.enumerated() {
            let entries = maker.make(SeededRandom(seed: UInt64(60 + index)))
            let fixture = try SegmentFixture()
            let segment = try fixture.segment(entries, options: SegmentWriterOptions(blockBytes: 900))
            let cursor = EntryCursor(segment, headOffset: headOffset)
            try cursor.checkHeads(at: headOffset)
        }
    }

    @Test(arguments: options.indices)
    func aLevelIsWalkedAcrossItsSegments(_ option: Int) throws {
        let entries = EntryMaker(count: 2000, namespaces: [1, 2, 3]).make(SeededRandom(seed: 70))
        let fixture = try SegmentFixture()
        var segments: [Segment] = []
        var rest = entries[...]
        while !rest.isEmpty {
            // The versions of a key stay together.
            var part = rest.prefix(300)
            rest = rest.dropFirst(300)
            while let next = rest.first, next.key == part.last?.key {
                part = Array(part)[...] + [next]
                rest = rest.dropFirst()
            }
            segments.append(try fixture.segment(Array(part), number: UInt64(segments.count + 1)))
        }
        let model = Model(entries)
        let cursor = EntryCursor(level: segments, headOffset: 0, options: SegmentCursorTests.options[option])
        #expect(try cursor.entries() == entries)
        #expect(try cursor.entries(.backward) == entries.reversed())
        let random = SeededRandom(seed: 71)
        let keys = probes(around: entries)
        for _ in 0..<60 {
            let key = keys[random.below(keys.count)]
            #expect(try cursor.entries(from: key, .forward) == model.forward(from: key))
            #expect(try cursor.entries(from: key, .backward) == model.backward(from: key))
        }
    }

    @Test func anEmptyLevelHasNoEntries() throws {
        let cursor = EntryCursor(level: [], headOffset: 0)
        #expect(try cursor.entries().isEmpty)
        #expect(try cursor.entries(from: [0, 0, 0, 1], .backward).isEmpty)
    }

    @Test func aCursorOutlivesTheEvictionOfItsBlock() throws {
        let entries = EntryMaker(count: 2000).make(SeededRandom(seed: 72))
        let fixture = try SegmentFixture()
        let segment = try fixture.segment(entries, options: SegmentWriterOptions(blockBytes: 4096))
        let cursor = EntryCursor(segment, headOffset: 4)
        var read: [TestEntry] = []
        try cursor.seek(nil, .forward)
        while cursor.runCount > 0 {
            fixture.budget.limitBytes = 0
            fixture.environment.cache.trim()
            fixture.domain.collect()
            for i in 0..<cursor.runCount { unsafe read.append(TestEntry(cursor.run[i])) }
            fixture.budget.limitBytes = 64 << 20
            try cursor.fill()
        }
        #expect(read == entries)
    }

    @Test func segmentsOfALevelAreOpenedWhenReached() throws {
        let fixture = try SegmentFixture()
        let segments = try (0..<5).map { i in
            try fixture.segment([.put(UInt32(i), "a", 1), .put(UInt32(i), "b", 2)], number: UInt64(i + 1))
        }
        let cursor = EntryCursor(level: segments, headOffset: 0)
        try [UInt8]([0, 0, 0, 2, 97]).lent { key throws(StorageError) in try cursor.seek(key, .forward) }
        #expect(fixture.environment.files.openCount == 1)
    }
}
