import ShaleBase
import ShalePlatform
import ShaleSegment
import ShaleSimulation
import Testing

/// A segment can be verified in ranges of blocks, in any order.
@Suite struct BlockRangeTests {
    private func segment(_ fixture: SegmentFixture) throws -> Segment {
        let entries = EntryMaker(count: 3000).make(SeededRandom(seed: 4))
        return try fixture.segment(entries, options: SegmentWriterOptions(blockBytes: 1 << 10))
    }

    @Test func theRangesCoverTheSegment() throws {
        let segment = try segment(SegmentFixture())
        for bytes: UInt64 in [1, 3000, 1 << 20] {
            let ranges = try segment.blockRanges(ofBytes: bytes)
            #expect(ranges.flatMap { Array($0) } == Array(0..<(try segment.blockCount())))
            var total: UInt64 = 0
            for range in ranges.reversed() {
                try segment.verify(blocks: range) { (count) throws(StorageError) in total += count }
            }
            var whole: UInt64 = 0
            try segment.verify { (count) throws(StorageError) in whole += count }
            #expect(total == whole && total > 0)
        }
        #expect(try segment.blockRanges(ofBytes: 1).count == segment.blockCount())
    }

    /// Only the range that contains the damage reports it.
    @Test func onlyTheRangeWithTheDamageReportsIt() throws {
        let fixture = try SegmentFixture()
        let segment = try segment(fixture)
        let count = try segment.blockCount()
        for damaged in [0, 1, count / 2, count - 1] {
            let offset = try segment.indexRow(damaged).handle.offset
            fixture.fileSystem.corrupt(SegmentFixture.path(1), at: Int(offset) + 5, xor: 1)
            for block in 0..<count {
                if block == damaged {
                    let error = #expect(throws: StorageError.self) { try segment.verify(blocks: block..<block + 1) }
                    #expect(error?.code == .corruption && error?.offset == offset)
                } else {
                    try segment.verify(blocks: block..<block + 1)
                }
            }
            fixture.fileSystem.corrupt(SegmentFixture.path(1), at: Int(offset) + 5, xor: 1)
        }
    }
}
