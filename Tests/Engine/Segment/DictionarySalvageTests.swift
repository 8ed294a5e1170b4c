import ShaleBase
import ShaleSegment
import ShaleSimulation
import Testing
import _ShaleHotPaths

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

    @Test func whatIsWholeIsReadAsAWhole() throws {
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
