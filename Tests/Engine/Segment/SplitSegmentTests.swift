import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSimulation
import Testing

@testable import ShaleSegment

/// Segments of format 2, whose blocks are split.
@Suite struct SplitSegmentTests {
    enum Values: CaseIterable {
        case none, lz4, zstd, dictionary, code, plainCode

        var hasCode: Bool { self == .code || self == .plainCode }

        func options(_ entries: [TestEntry], blockBytes: Int = 4 << 10) throws -> SegmentWriterOptions {
            let codec: BlockCodec =
                switch self {
                case .none, .code, .plainCode: .none
                case .lz4: .lz4
                case .zstd, .dictionary: .zstd(level: 1)
                }
            var options = SegmentWriterOptions(blockBytes: blockBytes, codec: codec)
            options.splitsBlocks = true
            let namespace = NamespaceID(rawValue: 1)
            if self == .dictionary {
                options.dictionaries[namespace] = try DocumentEntries.dictionary(DocumentEntries.make(count: 2000))
            }
            if hasCode {
                let samples = entries.filter { $0.value.count < 1000 }.prefix(300).map(\.value)
                let dictionary = samples.prefix(20).flatMap(\.self)
                let code =
                    self == .plainCode
                    ? dictionary.withBytes { ValueCode(plain: $0) }
                    : ValueCodeTests.trained(samples, dictionary: dictionary)
                options.valueCodes[namespace] = SliceCode(code, savedShare: 500)
            }
            return options
        }
    }

    private static let documents = DocumentEntries.make(count: 1500)
    private static let mixed = EntryMaker(count: 2000, namespaces: [1, 2, 300], valueLengths: 0...300)
        .make(SeededRandom(seed: 1))

    // MARK: Reading

    @Test(arguments: Values.allCases, [true, false])
    func entriesComeBackAsWritten(_ values: Values, _ isMixed: Bool) throws {
        let entries = isMixed ? Self.mixed : Self.documents
        let fixture = try SegmentFixture()
        let segment = try fixture.segment(entries, options: try values.options(entries))
        try segment.verify()
        #expect(segment.metadata.features.contains(.splitBlocks))
        #expect(try (0..<segment.blockCount()).allSatisfy { try segment.indexRow($0).isSplit })
        #expect(try EntryCursor(segment, headOffset: 0).entries() == entries)
        #expect(try EntryCursor(segment, headOffset: 0, options: .compaction).entries() == entries)
        #expect(try EntryCursor(segment, headOffset: 0).entries(.backward) == entries.reversed())
    }

    @Test(arguments: Values.allCases, [true, false])
    func lookupsReadWithAndWithoutTheCache(_ values: Values, _ isMixed: Bool) throws {
        let entries = isMixed ? Self.mixed : Self.documents
        for cacheBytes in [0, 64 << 20] {
            let fixture = try SegmentFixture(cacheBytes: cacheBytes)
            let segment = try fixture.segment(entries, options: try values.options(entries))
            let model = Model(entries)
            for entry in entries { #expect(try segment.lookUp(entry.key, through: entry.sequence) == entry) }
            for key in probes(around: Array(entries.prefix(100))) where key.count >= 4 {
                #expect(try segment.lookUp(key) == model.newest(key, through: .max))
            }
        }
    }

    @Test func theCodecsAreThoseOfTheOptions() throws {
        let expected: [Values: StoredCodec] = [
            .none: .none, .lz4: .lz4, .zstd: .zstd, .dictionary: .zstdDictionary, .code: .valueCode,
            .plainCode: .valueCode,
        ]
        for values in Values.allCases {
            let fixture = try SegmentFixture()
            let segment = try fixture.segment(Self.documents, options: try values.options(Self.documents))
            let codecs = Set(try (0..<segment.blockCount()).map { try segment.indexRow($0).codec })
            #expect(codecs == [try #require(expected[values])])
        }
    }

    @Test(arguments: Values.allCases) func theFileTellsItsMetadata(_ values: Values) throws {
        let fixture = try SegmentFixture()
        let metadata = try fixture.write(Self.documents, options: try values.options(Self.documents))
        let read = try Segment.metadata(number: 1, directory: fixture.directory, environment: fixture.environment)
        #expect(read == metadata)
        #expect(metadata.features.contains(.dictionaries) == (values == .dictionary))
        #expect(metadata.features.contains(.valueCodes) == values.hasCode)
        #expect(metadata.features.contains(.plainCodes) == (values == .plainCode))
        let layout = try fixture.open(metadata).layout().parts
        #expect(layout.contains { $0.name == "value code" } == values.hasCode)
        #expect(zip(layout, layout.dropFirst()).allSatisfy { $0.offset + $0.storedBytes == $1.offset })
    }

    /// A hot key's versions may pass the limit of a split block. The segment then has blocks of both forms.
    @Test func aSegmentMixesSplitBlocksWithOthers() throws {
        let deletes = (0..<70_000).map {
            TestEntry(key: [0, 0, 0, 1, 50], sequence: SequenceNumber(100_000 - $0), kind: .delete, value: [])
        }
        let entries = [TestEntry.put(1, "0", 7)] + deletes + [TestEntry.put(1, "x", 7)]
        let fixture = try SegmentFixture(cacheBytes: 0)
        var options = SegmentWriterOptions(blockBytes: 16, codec: .none)
        options.splitsBlocks = true
        let segment = try fixture.segment(entries, options: options)
        #expect(try Set((0..<segment.blockCount()).map { try segment.indexRow($0).isSplit }) == [true, false])
        try segment.verify()
        #expect(try EntryCursor(segment, headOffset: 0).entries() == entries)
        for index in [0, 1, 35_000, 70_000, 70_001] {
            #expect(try segment.lookUp(entries[index].key, through: entries[index].sequence) == entries[index])
        }
    }

    // MARK: What a lookup reads

    @Test(arguments: Values.allCases) func aMissReadsTheKeyPartAndOnePage(_ values: Values) throws {
        let fixture = try SegmentFixture(cacheBytes: 0)
        let options = try values.options(Self.documents, blockBytes: 16 << 10)
        let segment = try fixture.segment(Self.documents, options: options)
        _ = try segment.lookUp(Self.documents[0].key)
        // Damage elsewhere does not disturb a lookup of this entry.
        let index = 700
        let expected = Self.documents[index]
        let block = try expected.key.lent { (key) throws(StorageError) in try segment.findBlock(key) }
        let row = try segment.indexRow(block)
        let place = Int(row.handle.offset)
        let page = try Self.page(of: expected.key, place, row, fixture)
        let pages = place + row.place.keyPartBytes
        for byte in pages..<(place + row.handle.totalBytes)
        where !((pages + page.offset)..<(pages + page.offset + page.length)).contains(byte) {
            fixture.fileSystem.corrupt(SegmentFixture.path(1), at: byte, xor: 1)
        }
        fixture.fileSystem.recordsOperations = true
        let before = fixture.fileSystem.operations.count { $0.kind == .read }
        #expect(try segment.lookUp(expected.key) == expected)
        #expect(fixture.fileSystem.operations.count { $0.kind == .read } - before == 2)
        #expect(throws: StorageError.self) { try segment.entries(ofBlock: block) }
    }

    private static func page(
        of key: [UInt8], _ place: Int, _ row: IndexRow, _ fixture: SegmentFixture
    ) throws -> KeyPart.Page {
        let file = OwnedBytes(try #require(fixture.fileSystem.read(SegmentFixture.path(1))))
        defer { withExtendedLifetime(file) {} }
        let part = try KeyPart(
            file.bytes.slice(place, Int(row.keyPartLength)), expectedCount: Int(row.statistics.entryCount),
            codec: row.codec, rawLength: Int(row.handle.rawLength),
            pagesLength: Int(row.handle.storedLength - row.keyPartLength))
        let found = try key.withBytes { (key) throws(ParseFailure) in try part.find(key, through: .max) }
        guard case .found(let index) = found else { throw SplitSample.NotSplit() }
        return try part.page(ofEntry: index)
    }

    @Test func aFullCacheAdmitsABlockThatMissesTwiceInAShortTime() throws {
        let fixture = try SegmentFixture(cacheBytes: 200 << 10)
        let segment = try fixture.segment(Self.documents, options: try Values.none.options(Self.documents))
        let cache = fixture.environment.cache
        let keys = try (0..<segment.blockCount()).map { try segment.entries(ofBlock: $0)[0].key }
        // While there is room, blocks are loaded. Then they are not, and none is evicted.
        for key in keys { _ = try segment.lookUp(key) }
        let inserted = cache.statistics.insertedCount
        #expect(inserted > 0 && inserted < keys.count && cache.statistics.evictedCount == 0)
        // The first block that missed has done so long ago, the last one has not.
        try #require(keys.count > inserted + 20)
        _ = try segment.lookUp(keys[inserted + 2])
        #expect(cache.statistics.insertedCount == inserted)
        let last = try #require(keys.last)
        _ = try segment.lookUp(last)
        #expect(cache.statistics.insertedCount == inserted + 1)
        let hits = cache.statistics.hitCount
        _ = try segment.lookUp(last)
        #expect(cache.statistics.hitCount == hits + 1)
    }

    // MARK: Copies

    @Test(arguments: Values.allCases, [true, false])
    func aCopyOfStoredBlocksReadsTheSame(_ values: Values, _ adopts: Bool) throws {
        let fixture = try SegmentFixture()
        let options = try values.options(Self.documents)
        let source = try fixture.segment(Self.documents, options: options)
        let writer = try SegmentWriter(directory: fixture.directory, number: 2, options: options)
        if adopts { #expect(try writer.adoptFilter(of: source)) }
        // An entry before moves all blocks.
        let first = TestEntry.put(1, "0", 9000)
        if !adopts { try writer.add(first) }
        for block in 0..<(try source.blockCount()) { try writer.addStoredBlock(from: source, index: block) }
        let copy = fixture.open(try writer.finish(createdMilliseconds: 1))
        try copy.verify()
        #expect(try EntryCursor(copy, headOffset: 0).entries() == (adopts ? [] : [first]) + Self.documents)
        #expect(copy.metadata.features == source.metadata.features)
        for entry in Self.documents.prefix(300) {
            #expect(try copy.lookUp(entry.key, fillCache: false) == entry)
        }
    }

    @Test func aBlockIsNotCopiedWithoutItsValueCode() throws {
        let fixture = try SegmentFixture()
        var options = try Values.code.options(Self.documents)
        let source = try fixture.segment(Self.documents, options: options)
        options.valueCodes = [:]
        let writer = try SegmentWriter(directory: fixture.directory, number: 2, options: options)
        #expect(throws: StorageError.self) { try writer.addStoredBlock(from: source, index: 0) }
        #expect(writer.abandon() == nil)
    }

    @Test(arguments: Values.allCases) func helpersWriteTheSameBytes(_ values: Values) throws {
        let fixture = try SegmentFixture()
        var options = try values.options(Self.documents)
        _ = try fixture.write(Self.documents, number: 5, options: options)
        let bytes = fixture.fileSystem.read(SegmentFixture.path(5))
        try fixture.directory.remove(SegmentFileName.make(5))
        options.helpers = CompressionHelpers(threads: 2)
        _ = try fixture.write(Self.documents, number: 5, options: options)
        #expect(fixture.fileSystem.read(SegmentFixture.path(5)) == bytes)
    }

    // MARK: Earlier readers

    /// Fact 18 is unknown to earlier versions, which therefore refuse the store before they write.
    @Test func theManifestNamesAFactOfItsOwn() throws {
        let fixture = try SegmentFixture()
        let plain = try fixture.write(Self.documents, number: 1)
        let split = try fixture.write(Self.documents, number: 2, options: try Values.code.options(Self.documents))
        for (metadata, tag) in [(plain, 12 as UInt8), (split, 18)] {
            var buffer = ByteBuffer()
            ManifestEdit([.segmentAdded(level: 3, metadata)]).encode(into: &buffer)
            #expect(buffer.bytes[0] == tag && buffer.bytes[1] == 0)
            let edit = try ManifestEdit(decoding: buffer.bytes)
            guard case .segmentAdded(let level, let read) = edit.facts.first else {
                Issue.record("another fact")
                continue
            }
            #expect(level == 3 && read == metadata)
        }
    }

    @Test func aFooterOfFormat2IsUnknownToEarlierVersions() throws {
        let fixture = try SegmentFixture()
        _ = try fixture.write(Self.documents, options: try Values.none.options(Self.documents))
        let image = try SegmentImage(fixture, number: 1)
        #expect(image.bytes[image.footerOffset + 76] == 2)
        let plain = try fixture.write(Self.documents, number: 2)
        #expect(plain.features == [])
        let other = try SegmentImage(fixture, number: 2)
        #expect(other.bytes[other.footerOffset + 76] == 1)
    }
}
