import ShaleBase
import ShalePlatform
import Testing

@testable import ShaleSegment

/// The choice of a namespace's value code from samples.
@Suite struct SliceCodeTests {
    private func code(_ values: [[UInt8]], _ preference: ValuePreference = .small) throws -> SliceCode? {
        let entries = values.enumerated().map { index, value in
            TestEntry(
                key: [0, 0, 0, 1, UInt8(index >> 8), UInt8(index & 0xff)], sequence: 1, kind: .put, value: value)
        }
        let fixture = try SegmentFixture()
        let segment = try fixture.segment(entries)
        var trainer = SliceCodeTrainer()
        for block in 0..<(try segment.blockCount()) { try trainer.add(block, of: segment, asTest: block % 4 == 3) }
        return trainer.isEmpty ? nil : trainer.train(preference)
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

    // MARK: The form

    private static func halves(_ count: Int) -> [[UInt8]] {
        let random = SeededRandom(seed: 3)
        return (0..<count).map { _ in
            let half = (0..<50).map { _ in UInt8(32 + random.below(95)) }
            return half + half
        }
    }

    @Test func valuesAreStoredPlainIfThatTakesLittleMore() throws {
        let halves = Self.halves(2000)
        let balanced = try #require(try code(halves, .balanced))
        let small = try #require(try code(halves))
        #expect(balanced.code.isPlain && !small.code.isPlain)
        #expect(balanced.savedShare < small.savedShare && balanced.savedShare > 450)
    }

    @Test func documentsHavePrefixCodesUnlessTimeCountsMost() throws {
        let documents = DocumentEntries.make(count: 2000).map(\.value)
        let balanced = try #require(try code(documents, .balanced))
        let fast = try #require(try code(documents, .fast))
        #expect(!balanced.code.isPlain && fast.code.isPlain)
        #expect(fast.code.dictionary.count > 10_000 && fast.savedShare > 500)
    }

    /// Binary values that repeat themselves gain nothing by prefix codes.
    @Test func thePlainFormMayBeTheSmallerOne() throws {
        let random = SeededRandom(seed: 4)
        let values = (0..<2000).map { _ in
            let half = (0..<60).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            return half + half
        }
        #expect(try code(values, .balanced)?.code.isPlain == true)
    }

    @Test func theCompressionDecidesWhatCounts() {
        let expected: [(BlockCodec, ValuePreference)] = [
            (.lz4, .fast), (.zstd(level: -1), .fast), (.zstd(level: 1), .balanced), (.zstd(level: 2), .balanced),
            (.zstd(level: 3), .small), (.zstd(level: 19), .small),
        ]
        for (codec, preference) in expected { #expect(ValuePreference(codec) == preference) }
    }
}
