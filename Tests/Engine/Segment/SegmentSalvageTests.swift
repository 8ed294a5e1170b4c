import ShaleBase
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing
import _ShaleHotPaths

@testable import ShaleSegment

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The findings of a salvage for a segment whose parts contradict each other under correct
/// checksums, or can't be read.
@Suite struct SegmentSalvageTests {
    private let entries = EntryMaker(count: 120).make(SeededRandom(seed: 90))
    private let options = SegmentWriterOptions(blockBytes: 600, codec: .none)

    private func expectDamage(_ salvage: SegmentSalvage, _ reason: String, at offset: Int) {
        #expect(salvage.damage.map(\.message) == [reason])
        #expect(salvage.damage.first?.code == .corruption)
        #expect(salvage.damage.first?.file == SegmentFixture.path(1))
        #expect(salvage.damage.first?.offset == UInt64(offset))
    }

    private func count(_ salvage: SegmentSalvage) throws -> Int {
        try (0..<salvage.blockCount).reduce(0) { try $0 + salvage.block($1).count }
    }

    @Test func aSegmentThatIsNotTheRecordedOne() throws {
        let forged = try ForgedSegment(entries, options)
        let written = forged.metadata
        let recorded = SegmentMetadata(
            number: 1, fileBytes: written.fileBytes, createdMilliseconds: written.createdMilliseconds + 1,
            smallestKey: written.smallestKey, largestKey: written.largestKey, slices: written.slices)
        let salvage = try SegmentSalvage(forged.fixture.open(recorded))
        expectDamage(
            salvage, "the directory differs from the recorded one", at: forged.image.place(.directory).offset)
        #expect(try count(salvage) == entries.count, "its blocks are read all the same")
    }

    @Test func aFilterOfAnotherLength() throws {
        var forged = try ForgedSegment(entries, options)
        let filter = forged.image.place(.filter).offset
        forged.image.bytes.put(UInt32(forged.image.u32(filter) + 1), at: filter)
        forged.image.seal(.filter)
        let salvage = try forged.salvage()
        expectDamage(salvage, "the filter's line count contradicts its length", at: filter)
        #expect(salvage.mayHold(hash: 0), "without a filter every key may be present")
        #expect(try count(salvage) == entries.count)
    }

    @Test func anIndexThatIsNone() throws {
        var forged = try ForgedSegment(entries, options)
        let index = forged.image.place(.index).offset
        forged.image.bytes.put(UInt16(1), at: index + 6)
        forged.image.seal(.index)
        let salvage = try forged.salvage()
        expectDamage(salvage, "the index's header is invalid", at: index)
        #expect(!salvage.hasIndex && salvage.blockCount == 0)
        let error = #expect(throws: StorageError.self) { try salvage.block(0) }
        #expect(error?.code == .corruption && error?.file == SegmentFixture.path(1) && error?.offset == 0)
    }

    /// Fails each read in turn. With EIO the medium has lost bytes; with EACCES only the permission is missing and
    /// nothing is lost.
    @Test(arguments: [EIO, EACCES])
    func aReadThatFails(_ number: Int32) throws {
        let forged = try ForgedSegment(entries, options)
        let disk = forged.fixture.fileSystem
        var failures = 0
        while true {
            disk.inject(FaultRule(on: [.read], when: .match(1 + failures), .error(number)))
            let outcome = Result { () throws(StorageError) in
                try SegmentSalvage(forged.fixture.open(forged.metadata))
            }
            guard disk.faultsFired.count > failures else { break }
            failures += 1
            switch outcome {
            case .success(let salvage):
                #expect(number == EIO)
                #expect(salvage.damage.map(\.code) == [.ioFailure], "read \(failures)")
                #expect(salvage.damage.first?.file == SegmentFixture.path(1))
            case .failure(let error):
                #expect(number == EACCES)
                #expect(error.code == .locked && error.file == SegmentFixture.path(1), "read \(failures)")
            }
        }
        #expect(failures == 5, "footer, properties, directory, index, filter")
    }
}

/// The readable rest of a segment with a dictionary of which a part is damaged.
@Suite struct DictionarySalvageTests {
    private let entries = DocumentEntries.make(count: 600)
    private let others = DocumentEntries.make(.orders, count: 300, namespace: 2)

    private func fixture() throws -> (SegmentFixture, SegmentMetadata) {
        let fixture = try SegmentFixture(cacheBytes: 0)
        let dictionary = try #require(try DocumentEntries.dictionary(DocumentEntries.make(count: 2000)))
        return (fixture, try fixture.write(entries + others, options: DocumentEntries.options(dictionary)))
    }

    /// Returns the number of readable entries, and the error codes of the unreadable blocks.
    private func read(_ salvage: SegmentSalvage) -> (entries: Int, lost: Set<StorageError.Code>) {
        var found = 0
        var lost: Set<StorageError.Code> = []
        for number in 0..<salvage.blockCount {
            do throws(StorageError) {
                found += try salvage.block(number).count
            } catch {
                #expect(error.isLossOfBytes && error.offset != nil)
                lost.insert(error.code)
            }
        }
        return (found, lost)
    }

    @Test func anIntactSegmentIsReadAsAWhole() throws {
        let (fixture, metadata) = try fixture()
        let salvage = try SegmentSalvage(fixture.open(metadata))
        #expect(salvage.damage.isEmpty)
        let found = read(salvage)
        #expect(found.entries == 900 && found.lost.isEmpty)
    }

    @Test func aLostDictionaryTakesItsSliceOnly() throws {
        let (fixture, metadata) = try fixture()
        let offset = metadata.slices.reduce(0) { $0 + $1.storedBytes }
        fixture.fileSystem.corrupt(SegmentFixture.path(1), at: Int(offset) + 50, xor: 1)
        let found = read(try SegmentSalvage(fixture.open(metadata)))
        #expect(found.entries == 300 && found.lost == [.corruption])
    }

    @Test func lostPropertiesTakeTheListOfDictionariesWithThem() throws {
        let (fixture, metadata) = try fixture()
        let image = try SegmentImage(fixture, number: 1)
        fixture.fileSystem.corrupt(SegmentFixture.path(1), at: image.tailBlocks[3].offset + 3, xor: 1)
        let salvage = try SegmentSalvage(fixture.open(metadata))
        #expect(!salvage.damage.isEmpty && salvage.hasIndex)
        let found = read(salvage)
        #expect(found.entries == 300 && found.lost == [.corruption])
    }
}
