import ShaleBase
import ShalePlatform
import Testing

@testable import ShaleSegment

/// The choice of a namespace's value code from samples.
@Suite struct SliceCodeTests {
    private func code(_ values: [[UInt8]]) throws -> SliceCode? {
        let entries = values.enumerated().map { index, value in
            TestEntry(
                key: [0, 0, 0, 1, UInt8(index >> 8), UInt8(index & 0xff)], sequence: 1, kind: .put, value: value)
        }
        let fixture = try SegmentFixture()
        let segment = try fixture.segment(entries)
        var trainer = SliceCodeTrainer()
        for block in 0..<(try segment.blockCount()) { try trainer.add(block, of: segment, asTest: block % 4 == 3) }
        return trainer.isEmpty ? nil : trainer.train()
    }

    @Test func documentsGetADictionary() throws {
        let slice = try #require(try code(DocumentEntries.make(count: 2000).map(\.value)))
        #expect(slice.code.dictionary.count > 10_000)
        #expect(slice.savedShare > 600)
    }

    @Test func valuesThatRepeatThemselvesGetNone() throws {
        let random = SeededRandom(seed: 1)
        let slice = try #require(
            try code(
                (0..<2000).map { _ in
                    let half = random.bytes(50)
                    return half + half
                }))
        #expect(slice.code.dictionary.isEmpty)
        #expect((350...500).contains(slice.savedShare))
    }

    @Test func randomValuesGetNoCode() throws {
        let random = SeededRandom(seed: 2)
        #expect(try code((0..<2000).map { _ in random.bytes(100) }) == nil)
    }

    @Test func emptyAndHugeValuesAreNoSamples() throws {
        #expect(try code(Array(repeating: [], count: 500)) == nil)
        #expect(try code(Array(repeating: [UInt8](repeating: 1, count: 70_000), count: 12)) == nil)
    }
}
