import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSegment
import ShaleSimulation
import Testing

@Suite struct VersionBuilderTests {
    private let directory: any Directory
    private let environment = SegmentEnvironment(memoryBudget: 64 << 20, openFileLimit: 8)

    init() throws { directory = try SimulatedFileSystem().openDirectory("/segments", create: true) }

    private func segment(_ metadata: SegmentMetadata) -> Segment {
        Segment(metadata: metadata, directory: directory, environment: environment)
    }

    /// Returns metadata of a segment. Its keys overlap with no segment at another place; the default place is the
    /// number.
    private func metadata(
        _ number: Int, at place: Int? = nil, sequence: Int? = nil, entries: UInt64 = 2
    ) -> SegmentMetadata {
        var slice = SliceRecord(namespace: NamespaceID(rawValue: 1), firstBlock: 0)
        slice.blockCount = 1
        slice.entryCount = entries
        slice.minSequence = UInt64(sequence ?? number)
        slice.maxSequence = UInt64(sequence ?? number)
        func key(_ last: UInt8) -> [UInt8] {
            let place = place ?? number
            return [0, 0, 0, 1, UInt8(place >> 16), UInt8(place >> 8 & 255), UInt8(place & 255), last]
        }
        return SegmentMetadata(
            number: UInt64(number), fileBytes: 1000, createdMilliseconds: 0, smallestKey: key(0), largestKey: key(9),
            slices: [slice])
    }

    private func numbers(_ version: Version, _ level: Int) -> [UInt64] { version.levels[level].segments.map(\.number) }

    /// Counts steps: a store of many segments opens in about linear time, even with thousands of edits in its manifest.
    @Test func manySegmentsAreNotQuadratic() throws {
        let count = 20_000
        var builder = VersionBuilder(.empty, makeSegment: segment)
        let random = SeededRandom(seed: 3)
        for number in (1...count).map({ (random.next(), $0) }).sorted(by: { $0.0 < $1.0 }).map(\.1) {
            try builder.apply(.segmentAdded(level: 6, metadata(number)))
        }
        for number in 1...count / 2 { try builder.apply(.segmentMoved(UInt64(number), from: 6, to: 5)) }
        for number in 1...count / 4 { try builder.apply(.segmentRemoved(UInt64(number), level: 5)) }
        let version = try builder.build()
        #expect(numbers(version, 5) == (count / 4 + 1...count / 2).map { UInt64($0) })
        #expect(numbers(version, 6) == (count / 2 + 1...count).map { UInt64($0) })
        #expect(builder.steps < 20 * count, "n log2 n is about 14 n")

        // A few changes to a large version take steps in proportion to the version's size.
        var next = VersionBuilder(version, makeSegment: segment)
        try next.apply(.segmentRemoved(UInt64(count), level: 6))
        try next.apply(.segmentAdded(level: 6, metadata(count + 1)))
        #expect(numbers(try next.build(), 6).last == UInt64(count + 1))
        #expect(next.steps < 5 * count)
    }

    @Test func anEditMayGoBackAndForth() throws {
        var builder = VersionBuilder(.empty, makeSegment: segment)
        try builder.apply(.segmentAdded(level: 1, metadata(1)))
        try builder.apply(.segmentAdded(level: 1, metadata(2)))
        var next = VersionBuilder(try builder.build(), makeSegment: segment)
        try next.apply(.segmentMoved(1, from: 1, to: 2))
        try next.apply(.segmentMoved(1, from: 2, to: 1))
        try next.apply(.segmentRemoved(2, level: 1))
        try next.apply(.segmentAdded(level: 1, metadata(2)))
        let version = try next.build()
        #expect(numbers(version, 1) == [1, 2])
        #expect(version.levels[2].isEmpty)
    }

    @Test func newerFlushesComeFirstInL0() throws {
        var builder = VersionBuilder(.empty, makeSegment: segment)
        for (number, sequence) in [(7, 10), (8, 30), (9, 20)] {
            try builder.apply(.segmentAdded(level: 0, metadata(number, at: 0, sequence: sequence)))
        }
        #expect(numbers(try builder.build(), 0) == [8, 9, 7])
    }

    @Test func contradictionsAreRefused() throws {
        var builder = VersionBuilder(.empty, makeSegment: segment)
        try builder.apply(.segmentAdded(level: 1, metadata(1)))
        #expect(throws: ParseFailure.self) { try builder.apply(.segmentAdded(level: 1, metadata(1))) }
        #expect(throws: ParseFailure.self) { try builder.apply(.segmentAdded(level: 2, metadata(1))) }
        #expect(throws: ParseFailure.self) { try builder.apply(.segmentRemoved(1, level: 2)) }
        #expect(throws: ParseFailure.self) { try builder.apply(.segmentRemoved(2, level: 1)) }
        #expect(throws: ParseFailure.self) { try builder.apply(.segmentMoved(1, from: 0, to: 1)) }
        try builder.apply(.segmentAdded(level: 1, metadata(2, at: 1)))
        #expect(throws: ParseFailure.self, "they overlap") { try builder.build() }
    }

    /// The totals of a store can't overflow, whatever sizes its segments state.
    @Test func segmentsLargerThanAStoreAreRefused() throws {
        var builder = VersionBuilder(.empty, makeSegment: segment)
        let count = Int(FormatLimits.storeTotal / FormatLimits.segmentTotal)
        for number in 1...count {
            try builder.apply(.segmentAdded(level: 6, metadata(number, entries: FormatLimits.segmentTotal)))
        }
        let version = try builder.build()
        #expect(version.levels[6].segments.count == count)
        var next = VersionBuilder(version, makeSegment: segment)
        try next.apply(.segmentAdded(level: 0, metadata(count + 1)))
        let error = #expect(throws: ParseFailure.self) { try next.build() }
        #expect(error?.reason == "the segments together are larger than a store can be")
    }
}
