import ShaleBase
import ShalePlatform
import ShaleSegment
import ShaleSimulation
import Testing

/// Blocks that are copied into another segment without being decoded.
@Suite struct StoredBlockTests {
    @Test(arguments: SegmentRoundTripTests.codecs, [true, false])
    func aWholeCopyReadsTheSame(_ codec: BlockCodec, _ adopts: Bool) throws {
        let entries = EntryMaker(count: 2000, namespaces: [1, 5]).make(SeededRandom(seed: 80))
        let fixture = try SegmentFixture()
        let source = try fixture.segment(entries, options: SegmentWriterOptions(blockBytes: 1500, codec: codec))
        let writer = try SegmentWriter(directory: fixture.directory, number: 2)
        if adopts { #expect(try writer.adoptFilter(of: source)) }
        for block in 0..<(try source.blockCount()) { try writer.addStoredBlock(from: source, index: block) }
        let metadata = try writer.finish(createdMilliseconds: 1)
        let copy = fixture.open(metadata)
        try copy.verify()
        #expect(try EntryCursor(copy, headOffset: 0).entries() == entries)
        #expect(metadata.slices == source.metadata.slices)
        #expect(metadata.smallestKey == source.metadata.smallestKey)
        #expect(metadata.largestKey == source.metadata.largestKey)
        for entry in entries.prefix(200) {
            #expect(try copy.lookUp(entry.key, through: entry.sequence) == entry)
        }
    }

    @Test(arguments: [true, false])
    func partOfASegmentMayBeCopied(_ adopts: Bool) throws {
        let entries = EntryMaker(count: 2000, namespaces: [1, 5]).make(SeededRandom(seed: 81))
        let fixture = try SegmentFixture()
        let source = try fixture.segment(entries, options: SegmentWriterOptions(blockBytes: 1000))
        let count = try source.blockCount()
        let writer = try SegmentWriter(directory: fixture.directory, number: 2)
        if adopts { #expect(try writer.adoptFilter(of: source)) }
        for block in stride(from: 1, to: count - 1, by: 3) { try writer.addStoredBlock(from: source, index: block) }
        let copy = fixture.open(try writer.finish(createdMilliseconds: 1))
        try copy.verify()
        var expected: [TestEntry] = []
        var first = 0
        for block in 0..<count {
            let length = Int(try source.indexRow(block).statistics.entryCount)
            if block % 3 == 1, block < count - 1 { expected += entries[first..<(first + length)] }
            first += length
        }
        #expect(try EntryCursor(copy, headOffset: 0).entries() == expected)
        #expect(copy.metadata.smallestKey == expected.first?.key)
        #expect(copy.metadata.largestKey == expected.last?.key)
    }

    @Test func copiedAndBuiltBlocksMayAlternate() throws {
        let fixture = try SegmentFixture()
        let sources = try (0..<5).map { part in
            let entries = EntryMaker(count: 200, namespaces: [UInt32(part + 1)]).make(SeededRandom(seed: UInt64(part)))
            return (entries, try fixture.segment(entries, number: UInt64(part + 10)))
        }
        let writer = try SegmentWriter(directory: fixture.directory, number: 2)
        for (part, (entries, source)) in sources.enumerated() {
            if part % 2 == 0 {
                for block in 0..<(try source.blockCount()) { try writer.addStoredBlock(from: source, index: block) }
            } else {
                for entry in entries { try writer.add(entry) }
            }
        }
        let merged = fixture.open(try writer.finish(createdMilliseconds: 1))
        try merged.verify()
        #expect(try EntryCursor(merged, headOffset: 0).entries() == sources.flatMap(\.0))
    }

    @Test func aDamagedSourceBlockIsNotCopied() throws {
        let entries = EntryMaker(count: 500).make(SeededRandom(seed: 82))
        let fixture = try SegmentFixture()
        let source = try fixture.segment(entries)
        try source.open()
        fixture.fileSystem.corrupt(SegmentFixture.path(1), at: 1000, xor: 4)
        for adopts in [true, false] {
            let writer = try SegmentWriter(directory: fixture.directory, number: 2)
            if adopts { _ = try writer.adoptFilter(of: source) }
            let error = #expect(throws: StorageError.self) { try writer.addStoredBlock(from: source, index: 0) }
            #expect(error?.code == .corruption)
            #expect(error?.file == SegmentFixture.path(1))
            #expect(error?.offset == 0)
            #expect(writer.abandon() == nil)
        }
        #expect(fixture.fileSystem.read(SegmentFixture.path(2)) == nil)
    }

    /// The copy of a block skips its decoding, but not the check of its checksum.
    @Test func aDamagedBlockIsNotCopied() throws {
        let entries = EntryMaker(count: 400).make(SeededRandom(seed: 84))
        let fixture = try SegmentFixture(cacheBytes: 0)
        let source = try fixture.segment(entries, options: SegmentWriterOptions(blockBytes: 1000))
        let place = try source.indexRow(1).handle
        let writer = try SegmentWriter(directory: fixture.directory, number: 2)
        #expect(try writer.adoptFilter(of: source))
        fixture.fileSystem.corrupt(SegmentFixture.path(1), at: Int(place.offset) + 20, xor: 1)
        try writer.addStoredBlock(from: source, index: 0)
        let error = #expect(throws: StorageError.self) { try writer.addStoredBlock(from: source, index: 1) }
        #expect(error?.code == .corruption)
        #expect(error?.file == SegmentFixture.path(1) && error?.offset == place.offset)
        writer.abandon()
    }
}
