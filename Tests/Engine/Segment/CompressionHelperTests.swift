import ShaleBase
import ShalePlatform
import ShaleSegment
import ShaleSimulation
import Testing

/// A compressed block has the same bytes at the same place, whether the writer or a helper compresses it.
@Suite struct CompressionHelperTests {
    private let entries = EntryMaker(count: 6000, namespaces: [3, 9], valueLengths: 0...300)
        .make(SeededRandom(seed: 11))

    @Test(arguments: [BlockCodec.zstd(level: 1), .lz4, .none], [1, 3])
    func filesAreTheSame(codec: BlockCodec, threads: Int) throws {
        let fixture = try SegmentFixture()
        var options = SegmentWriterOptions(blockBytes: 2 << 10, codec: codec)
        let alone = try fixture.write(entries, number: 5, options: options)
        let path = SegmentFixture.path(5)
        let bytes = fixture.fileSystem.read(path)
        try fixture.directory.remove(SegmentFileName.make(5))
        options.helpers = CompressionHelpers(threads: threads)
        #expect(try fixture.write(entries, number: 5, options: options) == alone)
        #expect(fixture.fileSystem.read(path) == bytes)
        try fixture.open(alone).verify()
    }

    /// Several writers share helpers, on threads of their own.
    @Test func writersMayShareThem() throws {
        let fixture = try SegmentFixture()
        var options = SegmentWriterOptions(blockBytes: 1 << 10, codec: .zstd(level: 1))
        options.helpers = CompressionHelpers(threads: 2)
        let outcomes = Locked<[Result<SegmentMetadata, any Error>]>([])
        let threads = try (1...3).map { number in
            try WorkerThread.start(name: "writer") { [entries, options] in
                let outcome = Result { try fixture.write(entries, number: UInt64(number), options: options) }
                outcomes.withLock { $0.append(outcome) }
            }
        }
        for thread in threads { thread.join() }
        for outcome in outcomes.withLock({ $0 }) {
            let segment = fixture.open(try outcome.get())
            try segment.verify()
            #expect(try EntryCursor(segment, headOffset: 0).entries() == entries)
        }
    }

    /// An abandoned writer does not wait for blocks that its helpers still compress.
    @Test func aWriterMayBeAbandoned() throws {
        let fixture = try SegmentFixture()
        var options = SegmentWriterOptions(blockBytes: 1 << 10, codec: .zstd(level: 1))
        options.helpers = CompressionHelpers(threads: 2)
        let writer = try SegmentWriter(directory: fixture.directory, number: 1, options: options)
        for entry in entries.prefix(500) { try writer.add(entry) }
        #expect(!writer.isEmpty)
        #expect(writer.abandon() == nil)
        options.helpers = nil
        #expect(try fixture.directory.list().isEmpty)
    }

    /// Blocks that a helper compresses are written before a copied block that was added later.
    @Test func storedBlocksComeBehindWhatIsUnderWay() throws {
        let fixture = try SegmentFixture()
        let plain = EntryMaker.fixed.make(SeededRandom(seed: 2))
        var options = SegmentWriterOptions(blockBytes: 1 << 10, codec: .zstd(level: 1))
        let source = try fixture.segment(plain, number: 1, options: options)
        let half = try source.indexRow(0).statistics.entryCount
        options.helpers = CompressionHelpers(threads: 1)
        let writer = try SegmentWriter(directory: fixture.directory, number: 2, options: options)
        for entry in plain.prefix(Int(half)) { try writer.add(entry) }
        for block in 1..<(try source.blockCount()) { try writer.addStoredBlock(from: source, index: block) }
        let copy = fixture.open(try writer.finish(createdMilliseconds: 0))
        try copy.verify()
        #expect(try EntryCursor(copy, headOffset: 0).entries() == plain)
    }
}
