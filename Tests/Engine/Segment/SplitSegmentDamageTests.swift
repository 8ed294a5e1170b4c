import ShaleBase
import ShalePlatform
import ShaleSimulation
import Testing

@testable import ShaleSegment

/// Damage in segments of format 2.
@Suite struct SplitSegmentDamageTests {
    private let entries = EntryMaker(count: 40, namespaces: [1, 2], valueLengths: 0...200).make(SeededRandom(seed: 100))

    @Test(arguments: SplitSegmentTests.Values.allCases)
    func aFlippedByteGivesTheRightAnswerOrAnError(_ values: SplitSegmentTests.Values) throws {
        let fixture = try SegmentFixture(cacheBytes: 0)
        let metadata = try fixture.write(entries, options: try values.options(entries, blockBytes: 3000))
        let random = SeededRandom(seed: 101)
        for offset in stride(from: random.below(5), to: Int(metadata.fileBytes), by: 5) {
            fixture.checkDamage(at: offset, mask: UInt8(1) << UInt8(random.below(8)), metadata, entries)
        }
    }

    /// Returns which blocks a salvage can read.
    private func readable(_ salvage: SegmentSalvage) throws -> [Bool] {
        try (0..<salvage.blockCount).map { number in
            do {
                _ = try salvage.block(number)
                return true
            } catch let error as StorageError {
                #expect(error.isLossOfBytes)
                return false
            }
        }
    }

    @Test(arguments: SplitSegmentTests.Values.allCases, [true, false])
    func aSalvageLosesOnlyTheDamagedBlock(_ values: SplitSegmentTests.Values, _ isPage: Bool) throws {
        let documents = DocumentEntries.make(count: 500)
        let fixture = try SegmentFixture()
        let metadata = try fixture.write(documents, options: try values.options(documents))
        let row = try fixture.open(metadata).indexRow(3)
        let place = Int(row.handle.offset) + (isPage ? row.place.keyPartBytes + 5 : 30)
        fixture.fileSystem.corrupt(SegmentFixture.path(1), at: place, xor: 4)
        let salvage = try SegmentSalvage(fixture.open(metadata))
        let found = try readable(salvage)
        #expect(salvage.damage.isEmpty)
        #expect(found.indices.allSatisfy { found[$0] == ($0 != 3) })
    }

    @Test func withoutPropertiesTheBlocksOfAValueCodeAreLost() throws {
        let documents = DocumentEntries.make(count: 500)
        let others = DocumentEntries.make(count: 500, namespace: 2)
        let fixture = try SegmentFixture()
        let metadata = try fixture.write(
            documents + others, options: try SplitSegmentTests.Values.code.options(documents))
        let image = try SegmentImage(fixture, number: 1)
        fixture.fileSystem.corrupt(SegmentFixture.path(1), at: image.place(.properties).offset, xor: 1)
        let salvage = try SegmentSalvage(fixture.open(metadata))
        let found = try readable(salvage)
        let second = Int(metadata.slices[1].firstBlock)
        #expect(salvage.damage.count == 1)
        #expect(found.indices.allSatisfy { found[$0] == ($0 >= second) })
    }

    @Test func aDamagedValueCodeLosesItsBlocks() throws {
        let documents = DocumentEntries.make(count: 500)
        let fixture = try SegmentFixture()
        let metadata = try fixture.write(documents, options: try SplitSegmentTests.Values.code.options(documents))
        let code = try #require(try fixture.open(metadata).layout().parts.first { $0.name == "value code" })
        fixture.fileSystem.corrupt(SegmentFixture.path(1), at: Int(code.offset) + 50, xor: 1)
        let segment = fixture.open(metadata)
        let error = #expect(throws: StorageError.self) { try segment.lookUp(documents[0].key) }
        #expect(error?.code == .corruption && error?.offset == code.offset)
        #expect(throws: StorageError.self) { try segment.verify() }
        #expect(try readable(SegmentSalvage(fixture.open(metadata))).allSatisfy { !$0 })
    }
}
