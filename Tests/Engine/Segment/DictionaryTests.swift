import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSegment
import ShaleSimulation
import Testing
import _ShaleHotPaths

/// Blocks that need their slice's dictionary.
@Suite struct DictionaryTests {
    private static let entries = DocumentEntries.make(count: 2000)

    private func dictionary() throws -> BlockDictionary {
        try #require(try DocumentEntries.dictionary(DictionaryTests.entries))
    }

    @Test func blocksAreSmallerAndReadTheSame() throws {
        let fixture = try SegmentFixture()
        let plain = try fixture.write(DictionaryTests.entries, number: 1, options: DocumentEntries.options(nil))
        let metadata = try fixture.write(
            DictionaryTests.entries, number: 2, options: DocumentEntries.options(try dictionary()))
        #expect(!plain.hasDictionaries && metadata.hasDictionaries)
        #expect(metadata.slices[0].storedBytes * 10 < plain.slices[0].storedBytes * 9)
        let segment = fixture.open(metadata)
        try segment.verify()
        #expect(try EntryCursor(segment, headOffset: 0).entries() == DictionaryTests.entries)
        #expect(try EntryCursor(segment, headOffset: 0).entries(.backward) == DictionaryTests.entries.reversed())
        for entry in DictionaryTests.entries.prefix(300) {
            #expect(try segment.lookUp(entry.key) == entry)
            #expect(try segment.lookUp(entry.key, fillCache: false) == entry)
        }
        #expect(
            try Segment.metadata(number: 2, directory: fixture.directory, environment: fixture.environment) == metadata)
    }

    @Test func onlyTheSlicesThatHaveOneNeedIt() throws {
        let others = DocumentEntries.make(.orders, count: 500, namespace: 2)
        let fixture = try SegmentFixture()
        let dictionary = try dictionary()
        let segment = try fixture.segment(
            DictionaryTests.entries + others, options: DocumentEntries.options(dictionary))
        try segment.verify()
        #expect(try segment.blockDictionary(of: NamespaceID(rawValue: 1)) == dictionary)
        #expect(try segment.blockDictionary(of: NamespaceID(rawValue: 1))?.savedShare == dictionary.savedShare)
        #expect(try segment.blockDictionary(of: NamespaceID(rawValue: 2)) == nil)
        let last = try segment.blockCount() - 1
        #expect(try segment.indexRow(0).codec == .zstdDictionary && segment.indexRow(last).codec == .zstd)
        #expect(try segment.coderIdentifier(forBlock: last) == nil)
        // A segment contains no dictionary if none of its blocks needs one.
        let without = try fixture.segment(others, number: 2, options: DocumentEntries.options(dictionary))
        #expect(!without.metadata.hasDictionaries)
    }

    /// The compression of incompressible data stops early. The next block may need another dictionary, or none.
    @Test func anIncompressibleBlockLeavesNoDictionaryBehind() throws {
        let random = SeededRandom(seed: 5)
        let noise = (0..<200).map { index in
            TestEntry.put(1, "noise\(1000 + index)", SequenceNumber(5000 + index))
        }.map { entry in
            var entry = entry
            entry.value = random.bytes(400)
            return entry
        }
        let fixture = try SegmentFixture()
        let others = DocumentEntries.make(.orders, count: 500, namespace: 2)
        let all = DictionaryTests.entries + noise + others
        let segment = try fixture.segment(all, options: DocumentEntries.options(try dictionary()))
        try segment.verify()
        #expect(try EntryCursor(segment, headOffset: 0).entries() == all)
        let blocks = try (0..<segment.blockCount()).map { try segment.indexRow($0).codec }
        #expect(Set(blocks) == [.zstdDictionary, .none, .zstd])
    }

    @Test func aDigestedDictionaryIsMadeOnceAndCounted() throws {
        let fixture = try SegmentFixture(cacheBytes: 1 << 20)
        let metadata = try fixture.write(
            DictionaryTests.entries, options: DocumentEntries.options(try dictionary()))
        var segment: Segment? = fixture.open(metadata)
        try segment?.open()
        let opened = fixture.budget.charged(for: .tables)
        _ = try segment?.lookUp(DictionaryTests.entries[0].key)
        let digested = fixture.budget.charged(for: .tables)
        #expect(digested > opened + (4 << 10))
        for entry in DictionaryTests.entries { _ = try segment?.lookUp(entry.key, fillCache: false) }
        #expect(fixture.budget.charged(for: .tables) == digested)
        segment = nil
        #expect(fixture.budget.charged(for: .tables) == 0)
    }

    /// Nothing has opened the segment when a job asks.
    @Test func aJobFindsTheDictionaryOfASegmentThatIsNotOpen() throws {
        let fixture = try SegmentFixture()
        let segment = try fixture.segment(DictionaryTests.entries, options: DocumentEntries.options(try dictionary()))
        #expect(try segment.blockDictionary(of: NamespaceID(rawValue: 1)) == dictionary())
    }

    @Test(arguments: [false, true]) func aTrainerNeedsSamplesAndBlocksToJudgeBy(hasTests: Bool) throws {
        let segment = try SegmentFixture().segment(DictionaryTests.entries, options: DocumentEntries.options(nil))
        var trainer = DictionaryTrainer(.zstd(level: 1))
        var wasEmpty = [trainer.isEmpty]
        for (block, isTest) in [hasTests, !hasTests].enumerated() {
            try trainer.add(block, of: segment, asTest: isTest)
            wasEmpty.append(trainer.isEmpty)
        }
        #expect(wasEmpty == [true, true, false])
    }

    /// A job reads its samples once. They must not evict blocks that readers need.
    @Test func samplesDoNotFillTheCache() throws {
        let fixture = try SegmentFixture()
        let segment = try fixture.segment(DictionaryTests.entries, options: DocumentEntries.options(nil))
        var trainer = DictionaryTrainer(.zstd(level: 1))
        for block in 0..<4 { try trainer.add(block, of: segment, asTest: block == 0) }
        #expect(!trainer.isEmpty && fixture.environment.cache.statistics.insertedCount == 0)
    }

    @Test func aBlockIsCopiedOnlyWhereItsDictionaryIs() throws {
        let fixture = try SegmentFixture()
        let dictionary = try dictionary()
        let source = try fixture.segment(DictionaryTests.entries, options: DocumentEntries.options(dictionary))
        let writer = try SegmentWriter(
            directory: fixture.directory, number: 2, options: DocumentEntries.options(dictionary))
        for block in 0..<(try source.blockCount()) { try writer.addStoredBlock(from: source, index: block) }
        let copy = fixture.open(try writer.finish(createdMilliseconds: 1))
        try copy.verify()
        #expect(try EntryCursor(copy, headOffset: 0).entries() == DictionaryTests.entries)
        let other = try #require(try DocumentEntries.dictionary(DocumentEntries.make(.orders, count: 2000)))
        for wrong in [nil, other] {
            let writer = try SegmentWriter(
                directory: fixture.directory, number: 3, options: DocumentEntries.options(wrong))
            let error = #expect(throws: StorageError.self) { try writer.addStoredBlock(from: source, index: 0) }
            #expect(error?.code == .invalidArgument)
            #expect(writer.abandon() == nil)
        }
    }

    /// A version that does not know dictionaries refuses the store by the manifest's tag, before it
    /// writes anything. It refuses a segment by the footer's flag.
    @Test func segmentsWithDictionariesAreAFactOfTheirOwn() throws {
        let fixture = try SegmentFixture()
        for (dictionary, tag) in [(nil, 12), (try dictionary(), 16)] as [(BlockDictionary?, UInt8)] {
            let metadata = try fixture.write(
                DictionaryTests.entries, number: UInt64(tag), options: DocumentEntries.options(dictionary))
            var buffer = ByteBuffer()
            ManifestEdit([.segmentAdded(level: 6, metadata)]).encode(into: &buffer)
            #expect(buffer.bytes[0] == tag && buffer.bytes[1] == 0)
            guard case .segmentAdded(6, metadata)? = try ManifestEdit(decoding: buffer.bytes).facts.first else {
                Issue.record("another fact")
                return
            }
            let file = try SegmentImage(fixture, number: UInt64(tag))
            #expect(file.bytes[file.footerOffset + 72] == (tag == 16 ? 1 : 0))
        }
    }

    @Test func everyFlippedByteGivesTheRightAnswerOrAnError() throws {
        let entries = DocumentEntries.make(count: 24)
        let dictionary = try #require(try DocumentEntries.dictionary(DictionaryTests.entries, bytesMax: 1 << 10))
        let fixture = try SegmentFixture(cacheBytes: 0)
        let metadata = try fixture.write(entries, options: DocumentEntries.options(dictionary, blockBytes: 3000))
        #expect(metadata.hasDictionaries)
        for offset in 0..<Int(metadata.fileBytes) {
            fixture.fileSystem.corrupt(SegmentFixture.path(1), at: offset, xor: 1 << UInt8(offset % 8))
            let report = ReadReport(fixture, metadata, entries)
            #expect(report.wrongAnswers.isEmpty, "offset \(offset)")
            #expect(!report.errors.isEmpty, "offset \(offset)")
            for error in report.errors {
                #expect(error.code == .corruption, "offset \(offset): \(error)")
                #expect(error.file == SegmentFixture.path(1) && error.offset != nil)
            }
            fixture.fileSystem.corrupt(SegmentFixture.path(1), at: offset, xor: 1 << UInt8(offset % 8))
        }
    }

    /// Damage to a dictionary makes the reads of dependent blocks fail, and the error names the damaged
    /// place.
    @Test func aDamagedDictionaryNamesItsPlaceAndLeavesTheOthersAlone() throws {
        let others = DocumentEntries.make(.orders, count: 500, namespace: 2)
        let fixture = try SegmentFixture(cacheBytes: 0)
        let metadata = try fixture.write(
            DictionaryTests.entries + others, options: DocumentEntries.options(try dictionary()))
        let dataEnd = metadata.slices.reduce(0) { $0 + $1.storedBytes }
        fixture.fileSystem.corrupt(SegmentFixture.path(1), at: Int(dataEnd) + 100, xor: 1)
        let segment = fixture.open(metadata)
        for entry in others.prefix(20) { #expect(try segment.lookUp(entry.key) == entry) }
        for read in [{ _ = try segment.lookUp(DictionaryTests.entries[7].key) }, { try segment.verify() }] {
            let error = #expect(throws: StorageError.self) { try read() }
            #expect(error?.code == .corruption)
            #expect(error?.file == SegmentFixture.path(1) && error?.offset == dataEnd)
        }
    }

    @Test func anInvalidDictionaryUnderAValidChecksumIsCorruption() throws {
        let fixture = try SegmentFixture(cacheBytes: 0)
        let metadata = try fixture.write(
            DictionaryTests.entries, options: DocumentEntries.options(try dictionary()))
        let original = try SegmentImage(fixture, number: 1)
        let at = Int(metadata.slices[0].storedBytes)
        let length = original.tailBlocks[1].offset - at - 12
        for place in stride(from: 0, to: length, by: 97) {
            var image = original
            image.bytes[at + place] ^= 0x5a
            image.seal(blockAt: at, length: length)
            image.store(fixture)
            let report = ReadReport(fixture, metadata, Array(DictionaryTests.entries.prefix(3)))
            for error in report.errors {
                #expect(error.code == .corruption && error.offset != nil, "\(error)")
            }
        }
    }
}
