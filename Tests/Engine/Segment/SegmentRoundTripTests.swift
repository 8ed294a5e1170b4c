import ShaleBase
import ShalePlatform
import ShaleSegment
import Testing

@Suite struct SegmentRoundTripTests {
    static let codecs: [BlockCodec] = [.none, .lz4, .zstd(level: 1), .zstd(level: -3)]

    @Test(arguments: codecs)
    func entriesComeBackAsWritten(_ codec: BlockCodec) throws {
        let entries = EntryMaker(count: 3000, namespaces: [1, 2, 300]).make(SeededRandom(seed: 1))
        let fixture = try SegmentFixture()
        let segment = try fixture.segment(entries, options: SegmentWriterOptions(codec: codec))
        #expect(try EntryCursor(segment, headOffset: 0).entries() == entries)
        try segment.verify()
    }

    @Test(arguments: codecs)
    func fixedLengthsComeBackAsWritten(_ codec: BlockCodec) throws {
        let entries = EntryMaker.fixed.make(SeededRandom(seed: 2))
        let fixture = try SegmentFixture()
        let segment = try fixture.segment(entries, options: SegmentWriterOptions(codec: codec))
        #expect(try EntryCursor(segment, headOffset: 4).entries() == entries)
        try segment.verify()
    }

    @Test(arguments: [1, 64, 300, 4096])
    func blocksMayBeTiny(_ blockBytes: Int) throws {
        let entries = EntryMaker(count: 500, namespaces: [1, 2]).make(SeededRandom(seed: 3))
        let fixture = try SegmentFixture()
        let segment = try fixture.segment(entries, options: SegmentWriterOptions(blockBytes: blockBytes))
        #expect(try EntryCursor(segment, headOffset: 0).entries() == entries)
        try segment.verify()
    }

    @Test func valuesMayHaveMegabytes() throws {
        let random = SeededRandom(seed: 4)
        let lengths = [0, 1, 4 << 20, 70_000, 65_535, 65_536, 3]
        let entries = lengths.enumerated().map { index, length in
            TestEntry(
                key: [0, 0, 0, 1, UInt8(index)], sequence: SequenceNumber(index + 1), kind: .put,
                value: random.bytes(length))
        }
        let fixture = try SegmentFixture()
        let segment = try fixture.segment(entries)
        #expect(try EntryCursor(segment, headOffset: 4).entries() == entries)
        for entry in entries { #expect(try segment.lookUp(entry.key) == entry) }
        try segment.verify()
    }

    @Test func manyNamespacesHaveASliceEach() throws {
        let ids = (0..<400).map { UInt32($0 * 97 + 1) }
        let entries = EntryMaker(count: 3000, namespaces: ids).make(SeededRandom(seed: 5))
        let fixture = try SegmentFixture()
        let segment = try fixture.segment(entries)
        try segment.verify()
        let present = Set(entries.map { $0.key.lent { EncodedKey.namespace(of: $0) } })
        #expect(segment.metadata.slices.map(\.namespace) == present.sorted())
        for slice in segment.metadata.slices {
            let own = entries.filter { $0.key.lent { EncodedKey.namespace(of: $0) } == slice.namespace }
            #expect(slice.entryCount == UInt64(own.count))
            #expect(slice.deleteCount == UInt64(own.count { $0.kind.isDelete }))
            #expect(slice.purgeableCount == UInt64(own.count { $0.kind.isPurgeable }))
            #expect(slice.dataBytes == UInt64(own.reduce(0) { $0 + $1.key.count + $1.value.count }))
            #expect(slice.minSequence == own.map(\.sequence).min())
            #expect(slice.maxSequence == own.map(\.sequence).max())
            #expect(slice.maxPurgeableSequence == own.filter(\.kind.isPurgeable).map(\.sequence).max() ?? 0)
            #expect(slice.minExpiry == own.filter(\.kind.hasExpiry).map(\.expiry).min() ?? 0)
            #expect(slice.maxExpiry == own.filter(\.kind.hasExpiry).map(\.expiry).max() ?? 0)
        }
    }

    @Test func keysMayBeEmptyAndLongest() throws {
        let long = [UInt8](repeating: 9, count: 16_384)
        let entries = [
            TestEntry(key: [0, 0, 0, 1], sequence: 5, kind: .put, value: [1]),
            TestEntry(key: [0, 0, 0, 1, 0], sequence: 6, kind: .put, value: [2]),
            TestEntry(key: [0, 0, 0, 1, 0, 0], sequence: 7, kind: .put, value: [3]),
            TestEntry(key: [0, 0, 0, 1] + long.dropLast(), sequence: 9, kind: .put, value: [4]),
            TestEntry(key: [0, 0, 0, 1] + long, sequence: Trailer.sequenceMax, kind: .put, value: [5]),
            TestEntry(key: [0, 0, 0, 2], sequence: 1, kind: .delete, value: []),
        ]
        let fixture = try SegmentFixture()
        let segment = try fixture.segment(entries)
        #expect(try EntryCursor(segment, headOffset: 0).entries() == entries)
        #expect(try EntryCursor(segment, headOffset: 0).entries(.backward) == entries.reversed())
        for entry in entries { #expect(try segment.lookUp(entry.key) == entry) }
        try segment.verify()
    }

    @Test func metadataIsReadBackFromTheFile() throws {
        let entries = EntryMaker(namespaces: [3, 4]).make(SeededRandom(seed: 6))
        let fixture = try SegmentFixture()
        let written = try fixture.write(entries, number: 12)
        let read = try Segment.metadata(number: 12, directory: fixture.directory, environment: fixture.environment)
        #expect(read == written)
        var buffer = ByteBuffer()
        written.encode(into: &buffer)
        var reader = ByteReader(buffer.bytes)
        #expect(try SegmentMetadata(decoding: &reader) == written)
        #expect(reader.isAtEnd)
    }
}

extension EntryCursor {
    func entries(_ direction: Direction) throws(StorageError) -> [TestEntry] { try entries(from: nil, direction) }
}
