import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShaleSegment
import Testing

/// A job copies blocks without decoding them, or skips them unread, where the result is the same.
@Suite struct BlockReuseTests {
    typealias Row = SegmentShelf.Row

    private let id = NamespaceID(rawValue: 1)
    private let purgeable = EntryKind.put(purgeable: true, hasExpiry: false)

    private func rows(_ range: Range<Int>, _ sequence: UInt64, _ kind: EntryKind = .put) -> [Row] {
        range.map { Row("key\(10_000 + $0)", sequence + UInt64($0), kind, value: [UInt8](repeating: 7, count: 40)) }
    }

    private func horizon(_ erasure: Erasure = Erasure(), snapshots: [ReadPoint] = []) -> Horizon {
        Horizon(snapshots: snapshots, wallMilliseconds: 100, erasures: [id: erasure])
    }

    private func job(_ kind: CompactionJob.Kind, _ inputs: [(Int, [Segment])], to level: Int) -> CompactionJob {
        CompactionJob(
            kind, inputs.map { CompactionJob.Input(level: $0.0, segments: $0.1) }, outputLevel: level,
            isLast: level == FormatLimits.levels - 1)
    }

    @Test func aMergeCopiesTheBlocksThatNoOtherInputReachesInto() throws {
        let shelf = try SegmentShelf()
        shelf.options.lastCodec = .lz4
        let below = rows(0..<2000, 1)
        let above = rows(900..<950, 10_000)
        let job = try job(.merge, [(5, [shelf.make(above)]), (6, [shelf.make(below)])], to: 6)
        let result = try shelf.run(job, horizon())
        let blocks = UInt64(job.inputs[1].segments[0].metadata.blockCount)
        #expect(result.statistics.copiedBlocks > blocks * 9 / 10)
        #expect(result.statistics.copiedBlocks < blocks)
        #expect(result.rows.map(\.key) == below.map(\.key))
        let expected = SegmentShelf.merged([above, below], job, horizon())
        #expect(result.rows.map(\.value) == expected.map(\.value))
        // Copied blocks keep their sequences; the other entries are normalised.
        #expect(result.rows[925].sequence == 1)
        #expect(result.rows[0].sequence == 1 && result.rows[5].sequence == 6)
    }

    @Test func blocksOfAnotherCompressionAreWrittenAgain() throws {
        let shelf = try SegmentShelf()
        shelf.options.lastCodec = .zstd(level: 1)
        let job = try job(.merge, [(5, [shelf.make(rows(0..<500, 1), codec: .lz4)])], to: 6)
        let result = try shelf.run(job, horizon())
        #expect(result.statistics.copiedBlocks == 0)
        #expect(result.rows.count == 500)
    }

    @Test func aRewriteSkipsDeadBlocksUnreadAndCopiesLiveOnes() throws {
        let shelf = try SegmentShelf()
        shelf.options.lastCodec = .lz4
        let all = rows(0..<600, 1) + rows(600..<1400, 1, purgeable) + rows(1400..<2000, 1)
        let segment = try shelf.make(all)
        let job = job(.rewrite, [(6, [segment])], to: 6)
        let result = try shelf.run(job, horizon(Erasure(purgedThrough: 5000)))
        let blocks = UInt64(segment.metadata.blockCount)
        #expect(result.statistics.skippedBlocks > blocks * 3 / 10)
        #expect(result.statistics.copiedBlocks > blocks / 2)
        // The job decodes at most the two blocks at the edges.
        #expect(result.statistics.skippedBlocks + result.statistics.copiedBlocks >= blocks - 2)
        #expect(result.rows.map(\.key) == (rows(0..<600, 1) + rows(1400..<2000, 1)).map(\.key))
        #expect(result.statistics.skippedEntries + result.statistics.retention.erased == 800)
        // The adopted filter still admits every key.
        for row in result.rows {
            let found = try row.key.withBytes { (key) throws(StorageError) in
                try result.outputs[0].get(key, hash: XXH3.hash(key), through: .max, fillCache: true)?.trailer
            }
            #expect(found?.sequence == row.sequence)
        }
    }

    @Test func deadBlocksAboveOlderOnesBecomeTombstones() throws {
        let shelf = try SegmentShelf()
        let dead = rows(0..<400, 1000, purgeable)
        let older = try shelf.make(rows(100..<200, 1))
        let job = CompactionJob(
            .rewrite, [CompactionJob.Input(level: 5, segments: [try shelf.make(dead)])], outputLevel: 5, isLast: false,
            older: OlderSegments(loose: [older]))
        let result = try shelf.run(job, horizon(Erasure(purgedThrough: 5000)))
        #expect(result.rows.map(\.key) == rows(100..<200, 1).map(\.key))
        #expect(result.rows.allSatisfy { $0.kind.isDelete })
        #expect(result.statistics.skippedBlocks > 0)
    }

    @Test func entriesThatASnapshotStillSeesAreNeitherSkippedNorLost() throws {
        let shelf = try SegmentShelf()
        let all = rows(0..<500, 1, purgeable)
        let job = try job(.rewrite, [(6, [shelf.make(all)])], to: 6)
        let old = ReadPoint(sequence: 5000, wallMilliseconds: 50)
        var erasure = Erasure()
        erasure.purges = [5001]
        let result = try shelf.run(job, horizon(erasure, snapshots: [old]))
        #expect(result.rows == all)
        #expect(result.statistics.skippedBlocks == 0)
    }
}
