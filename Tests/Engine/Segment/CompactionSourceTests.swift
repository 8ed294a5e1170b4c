import ShaleBase
import ShalePlatform
import ShaleSegment
import ShaleSimulation
import Testing

@Suite struct CompactionSourceTests {
    private func sources(_ fixture: SegmentFixture) throws -> ([TestEntry], [Segment]) {
        let entries = (1...3).map {
            EntryMaker(count: 400, namespaces: [$0]).make(SeededRandom(seed: UInt64($0)))
        }
        let segments = try entries.enumerated().map {
            try fixture.segment($1, number: UInt64($0 + 1), options: SegmentWriterOptions(blockBytes: 800))
        }
        return (entries.flatMap { $0 }, segments)
    }

    @Test func everyBlockIsPendingBeforeItIsRead() throws {
        let fixture = try SegmentFixture()
        let (entries, segments) = try sources(fixture)
        let source = CompactionSource(segments)
        let cursor = EntryCursor(source, headOffset: 0)
        var read: [TestEntry] = []
        var blocks: [(UInt64, Int)] = []
        try cursor.seek(nil, .forward)
        #expect(cursor.runCount == 0 && source.isPaused)
        while true {
            if source.isPaused {
                let pending = try #require(try source.pendingBlock())
                blocks.append((pending.segment.number, pending.index))
                let first = read.count
                try source.enterBlock(for: cursor)
                #expect(!pending.separator.lexicographicallyPrecedes(entries[first].key))
            }
            if cursor.runCount == 0 { break }
            for i in 0..<cursor.runCount { unsafe read.append(TestEntry(cursor.run[i])) }
            try cursor.fill()
        }
        #expect(read == entries)
        let all = try segments.flatMap { segment in (0..<(try segment.blockCount())).map { (segment.number, $0) } }
        #expect(blocks.elementsEqual(all, by: ==))
        #expect(try source.pendingBlock() == nil)
    }

    @Test func skippedBlocksAreNotRead() throws {
        let fixture = try SegmentFixture()
        let (entries, segments) = try sources(fixture)
        for segment in segments { try segment.open() }
        // Reading block 1 of the second segment reports damage.
        let handle = try segments[1].indexRow(1).handle
        fixture.fileSystem.corrupt(SegmentFixture.path(2), at: Int(handle.offset) + 5, xor: 1)
        let source = CompactionSource(segments)
        let cursor = EntryCursor(source, headOffset: 0)
        var read: [TestEntry] = []
        var skipped = 0
        try cursor.seek(nil, .forward)
        while source.isPaused || cursor.runCount > 0 {
            if source.isPaused {
                let pending = try #require(try source.pendingBlock())
                if pending.segment.number == 2, pending.index == 1 {
                    skipped = Int(pending.row.statistics.entryCount)
                    source.skipBlock()
                    try cursor.fill()
                    continue
                }
                try source.enterBlock(for: cursor)
            }
            for i in 0..<cursor.runCount { unsafe read.append(TestEntry(cursor.run[i])) }
            try cursor.fill()
        }
        #expect(skipped > 0)
        #expect(read.count == entries.count - skipped)
    }

    @Test func aNamespaceStartsAtAPendingBlock() throws {
        let fixture = try SegmentFixture()
        let entries = EntryMaker(count: 900, namespaces: [1, 2, 3]).make(SeededRandom(seed: 5))
        let segment = try fixture.segment(entries, options: SegmentWriterOptions(blockBytes: 800))
        let source = CompactionSource([segment])
        let cursor = EntryCursor(source, headOffset: 4)
        try [UInt8]([0, 0, 0, 2]).lent { key throws(StorageError) in try cursor.seek(key, .forward) }
        let slice = try #require(segment.metadata.slice(of: NamespaceID(rawValue: 2)))
        #expect(source.isPaused)
        #expect(try source.pendingBlock()?.index == Int(slice.firstBlock))
    }

    @Test func withoutPausesItIsAPlainCursor() throws {
        let fixture = try SegmentFixture()
        let (entries, segments) = try sources(fixture)
        let cursor = EntryCursor(CompactionSource(segments, pausesAtBlocks: false), headOffset: 0)
        #expect(try cursor.entries() == entries)
        let model = Model(entries)
        let key = entries[500].key
        #expect(try cursor.entries(from: key) == model.forward(from: key))
    }
}
