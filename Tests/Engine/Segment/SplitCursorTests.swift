import ShaleBase
import ShalePlatform
import ShaleSimulation
import Testing

@testable import ShaleSegment

/// Cursors over split blocks that are not in the cache.
@Suite struct SplitCursorTests {
    typealias Values = SplitSegmentTests.Values

    private static let options = [
        ScanOptions(fillCache: false), ScanOptions(fillCache: false, readAheadBytes: 2000),
        ScanOptions(fillCache: false, readAheadBytes: 256 << 10, cachedBlocks: 2), .compaction,
    ]
    private static let makers: [EntryMaker] = [
        EntryMaker(count: 600, namespaces: [1, 2], valueLengths: 0...300),
        // Long neighbours: suffixes in groups, and several versions of a key.
        EntryMaker(count: 600, namespaces: [1], keyLengths: 60...64, versionChance: 0.6, alphabet: 3),
        EntryMaker(count: 600, namespaces: [1], valueLengths: 0...0, versionChance: 0),
        EntryMaker(count: 100, namespaces: [1], valueLengths: 1000...9000, versionChance: 0),
        EntryMaker.fixed,
    ]

    /// Returns a segment whose blocks never enter the cache.
    private func segment(_ entries: [TestEntry], _ values: Values) throws -> (Segment, SegmentFixture) {
        let fixture = try SegmentFixture(cacheBytes: 0)
        let segment = try fixture.segment(entries, options: try values.options(entries))
        return (segment, fixture)
    }

    @Test(arguments: Values.allCases, makers.indices) func entriesComeInBothDirections(
        _ values: Values, _ maker: Int
    ) throws {
        let entries = Self.makers[maker].make(SeededRandom(seed: UInt64(maker + 300)))
        let (segment, fixture) = try segment(entries, values)
        for options in Self.options {
            let cursor = EntryCursor(segment, headOffset: 0, options: options)
            #expect(try cursor.entries() == entries)
            #expect(try cursor.entries(.backward) == entries.reversed())
        }
        #expect(fixture.environment.cache.statistics.insertedCount == 0)
    }

    @Test(arguments: Values.allCases, makers.indices) func seeksAgreeWithASortedArray(
        _ values: Values, _ maker: Int
    ) throws {
        let entries = Self.makers[maker].make(SeededRandom(seed: UInt64(maker + 310)))
        let (segment, _) = try segment(entries, values)
        let model = Model(entries)
        let random = SeededRandom(seed: UInt64(maker))
        let keys = probes(around: Array(entries.prefix(200)))
        for options in Self.options {
            let cursor = EntryCursor(segment, headOffset: 0, options: options)
            for _ in 0..<8 {
                let key = keys[random.below(keys.count)]
                #expect(try cursor.entries(from: key, .forward) == model.forward(from: key))
                #expect(try cursor.entries(from: key, .backward) == model.backward(from: key))
            }
        }
    }

    @Test func headsAreThoseBehindTheMergesPrefix() throws {
        let entries = Self.makers[0].make(SeededRandom(seed: 320))
        let (segment, _) = try segment(entries, .code)
        for headOffset in [0, 4, 5, 8, 30] {
            let cursor = EntryCursor(segment, headOffset: headOffset)
            try cursor.checkHeads(at: headOffset)
        }
    }

    // MARK: What is read

    @Test(arguments: Values.allCases) func aSeekReadsTheKeyPartAndOnePage(_ values: Values) throws {
        let documents = DocumentEntries.make(count: 1500)
        let (segment, fixture) = try segment(documents, values)
        let cursor = EntryCursor(segment, headOffset: 0, options: Self.options[2])
        try documents[700].key.lent { (key) throws(StorageError) in try cursor.seek(key, .forward) }
        fixture.fileSystem.recordsOperations = true
        let before = fixture.fileSystem.operations.count { $0.kind == .read }
        try documents[703].key.lent { (key) throws(StorageError) in try cursor.seek(key, .forward) }
        #expect(cursor.runCount == 1)
        #expect(unsafe TestEntry(cursor.run[0]) == documents[703])
        #expect(fixture.fileSystem.operations.count { $0.kind == .read } - before == 2)
    }

    @Test func aBlockThatIsUsedAgainEntersTheCache() throws {
        let documents = DocumentEntries.make(count: 500)
        let fixture = try SegmentFixture()
        let segment = try fixture.segment(documents, options: try Values.code.options(documents))
        let cursor = EntryCursor(segment, headOffset: 0, options: Self.options[2])
        try documents[100].key.lent { (key) throws(StorageError) in try cursor.seek(key, .forward) }
        // The cache has room, so that it admits the block at once.
        #expect(fixture.environment.cache.statistics.insertedCount == 1)
    }

    // MARK: Damage

    /// Within a group a walk compares each key with the one before, and between groups in both directions.
    @Test(arguments: [[0..<16, 16..<32], [16..<32, 0..<16]]) func keysOfTwoGroupsAreCompared(
        _ runs: [Range<Int>]
    ) throws {
        let kind = EntryKind.put(purgeable: false, hasExpiry: false)
        let items = (0..<40).map { index in
            // Suffixes of different lengths are in groups.
            SplitSample.Item(
                key: [0, 0, 0, 1] + Array("key\(100 + index)".utf8) + Array(repeating: 7, count: index % 3),
                trailer: Trailer(1, kind), value: [])
        }
        let sample = try SplitSample(items)
        let whole = try sample.part()
        let groups = try whole.groups()
        let first = whole.columns.keys + 4 * SuffixGroups.groupCount(40) + groups.offset(ofGroup: 1) + 2
        for isForged in [false, true] {
            let other = sample.changed { if isForged { $0[first] = 0 } }
            defer { withExtendedLifetime(other) {} }
            let part = try other.part()
            var walk = KeyPartWalk()
            try walk.fill(runs[0], of: part)
            do throws(ParseFailure) {
                try walk.fill(runs[1], of: part)
                #expect(!isForged)
            } catch {
                #expect(isForged && error.reason.contains("out of order"))
            }
        }
    }

    @Test(arguments: Values.allCases) func damageIsNoticedWhereItIsReached(_ values: Values) throws {
        let documents = DocumentEntries.make(count: 500)
        let (segment, fixture) = try segment(documents, values)
        let row = try segment.indexRow(3)
        let first = (0..<3).reduce(0) { (count, block) in
            count + ((try? segment.indexRow(block)).map { Int($0.statistics.entryCount) } ?? 0)
        }
        // The last byte of the block lies in its last page.
        let place = Int(row.handle.offset) + row.handle.totalBytes - 1
        fixture.fileSystem.corrupt(SegmentFixture.path(1), at: place, xor: 4)
        let cursor = EntryCursor(segment, headOffset: 0, options: Self.options[0])
        try cursor.seek(nil, .forward)
        var found: [TestEntry] = []
        let error = #expect(throws: StorageError.self) {
            while cursor.runCount > 0 {
                for i in 0..<cursor.runCount { unsafe found.append(TestEntry(cursor.run[i])) }
                try cursor.fill()
            }
        }
        #expect(error?.code == .corruption)
        #expect(found == Array(documents.prefix(found.count)))
        #expect(found.count > first)
    }
}
