import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShaleSegment
import Testing

/// The versions of one key may fill several blocks. The merge still orders them with the versions from other inputs.
@Suite struct ManyVersionsTests {
    typealias Row = SegmentShelf.Row

    @Test func versionsThatGoOnInTheNextBlockStayBeforeOlderOnesElsewhere() throws {
        let shelf = try SegmentShelf()
        // The versions exceed the 1 MiB that the versions of a key may share in a block. A snapshot exists at every
        // sequence.
        let big = [UInt8](repeating: 1, count: 300 << 10)
        let newer = (0..<9).map { Row("k", 109 - UInt64($0), value: big) } + [Row("z", 120)]
        let older = [Row("a", 3)] + (0..<3).map { Row("k", 9 - UInt64($0), value: [2]) } + [Row("m", 4)]
        let (first, second) = (try shelf.make(newer), try shelf.make(older))
        #expect(first.metadata.blockCount >= 3)
        let horizon = Horizon(
            snapshots: (1...130).map { Observer(sequence: $0, wallMilliseconds: 1) }, wallMilliseconds: 1,
            erasures: [NamespaceID(rawValue: 1): Erasure()])
        let job = CompactionJob(
            .merge, [CompactionJob.Input(level: 0, segments: [first, second])], outputLevel: 5, isLast: false)
        let result = try shelf.run(job, horizon)
        #expect(result.rows == SegmentShelf.merged([newer, older], job, horizon))
        #expect(
            result.rows.filter { $0.key.last == UInt8(ascii: "k") }.map(\.sequence)
                == (101...109).reversed() + [9, 8, 7])
    }
}
