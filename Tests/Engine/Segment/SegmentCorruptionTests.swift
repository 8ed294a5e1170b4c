import ShaleBase
import ShalePlatform
import ShaleSegment
import ShaleSimulation
import Testing

/// Single changed bytes of a segment.
@Suite struct SegmentCorruptionTests {
    private let entries = EntryMaker(count: 30, namespaces: [1, 2], valueLengths: 0...40).make(SeededRandom(seed: 100))
    private let options = SegmentWriterOptions(blockBytes: 500)

    @Test(arguments: [BlockCodec.none, .lz4, .zstd(level: 1)])
    func everyFlippedByteGivesTheRightAnswerOrAnError(_ codec: BlockCodec) throws {
        let fixture = try SegmentFixture(cacheBytes: 0)
        var options = options
        options.codec = codec
        let metadata = try fixture.write(entries, options: options)
        let random = SeededRandom(seed: 101)
        for offset in 0..<Int(metadata.fileBytes) {
            fixture.checkDamage(at: offset, mask: UInt8(1) << UInt8(random.below(8)), metadata, entries)
        }
    }

    @Test func everyTruncationIsNoticed() throws {
        let fixture = try SegmentFixture(cacheBytes: 0)
        let metadata = try fixture.write(entries, options: options)
        let whole = try #require(fixture.fileSystem.read(SegmentFixture.path(1)))
        for length in stride(from: 0, to: whole.count, by: 7) {
            fixture.fileSystem.write(SegmentFixture.path(1), Array(whole.prefix(length)))
            let report = ReadReport(fixture, metadata, entries)
            #expect(report.wrongAnswers.isEmpty)
            for error in report.errors {
                #expect(error.code == .corruption)
                #expect(error.file == SegmentFixture.path(1))
            }
            #expect(report.errors.count == entries.count + 3)
        }
    }

    @Test func aFileUnderAnotherNumberIsRefused() throws {
        let fixture = try SegmentFixture()
        let metadata = try fixture.write(entries, options: options)
        let bytes = try #require(fixture.fileSystem.read(SegmentFixture.path(1)))
        fixture.fileSystem.write(SegmentFixture.path(2), bytes)
        let error = #expect(throws: StorageError.self) {
            try Segment.metadata(number: 2, directory: fixture.directory, environment: fixture.environment)
        }
        #expect(error?.code == .corruption)
        #expect(error?.file == SegmentFixture.path(2))
        #expect(error?.message.contains("number 1") == true)
        #expect(metadata.number == 1)
    }

    @Test func aSegmentThatIsNotTheRecordedOneIsRefused() throws {
        let fixture = try SegmentFixture()
        let recorded = try fixture.write(entries, options: options)
        fixture.fileSystem.remove(SegmentFixture.path(1))
        var others = entries
        others[5].sequence += 1_000_000
        others.sort(by: TestEntry.isBefore)
        _ = try fixture.write(others, options: options)
        let error = #expect(throws: StorageError.self) { try fixture.open(recorded).open() }
        #expect(error?.code == .corruption)
    }

    @Test func misplacedBlocksFailLikeDamagedOnes() throws {
        let fixture = try SegmentFixture(cacheBytes: 0)
        var options = options
        options.codec = .none
        let fixed = (0..<100).map { TestEntry.put(1, "key-\(100 + $0)", SequenceNumber(200 + $0), "0123456789") }
        let metadata = try fixture.write(fixed, options: options)
        let segment = fixture.open(metadata)
        let first = try segment.indexRow(0).handle
        let second = try segment.indexRow(1).handle
        #expect(first.storedLength == second.storedLength)
        var bytes = try #require(fixture.fileSystem.read(SegmentFixture.path(1)))
        let length = Int(second.offset)
        for i in 0..<length { bytes.swapAt(i, length + i) }
        fixture.fileSystem.write(SegmentFixture.path(1), bytes)
        let error = #expect(throws: StorageError.self) { try segment.lookUp(fixed[0].key) }
        #expect(error?.code == .corruption)
        #expect(error?.offset == 0)
    }
}
