import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShaleSegment
import ShaleSimulation
import Testing
import _ShaleHotPaths

/// The value code that a job gives to its outputs, if blocks are split.
@Suite struct ValueCodeReuseTests: LastLevelJobs {
    private func shelf() throws -> SegmentShelf {
        let shelf = try makeShelf()
        shelf.options.splitsBlocks = true
        return shelf
    }

    private func identifiers(_ segments: [Segment]) throws -> Set<UInt64> {
        Set(try segments.compactMap { try $0.sliceCode(of: id)?.code.identifier })
    }

    @Test func aJobIntoTheLastLevelMakesOne() throws {
        let shelf = try shelf()
        let all = rows(0..<2000, 1)
        let (read, outputs, copied) = try merge(shelf, [(0, [shelf.make(all)])])
        #expect(read.map(\.value) == all.map(\.value))
        #expect(outputs.allSatisfy { $0.metadata.features == [.splitBlocks, .valueCodes] } && copied == 0)
        #expect(try identifiers(outputs).count == 1)
    }

    @Test func itStaysWhileItServes() throws {
        let shelf = try shelf()
        let first = try merge(shelf, [(0, [shelf.make(rows(0..<2000, 1))])])
        let second = try merge(shelf, [(0, [shelf.make(rows(900..<950, 10_000))]), (6, first.1)])
        #expect(try identifiers(second.1) == identifiers(first.1))
        // The job copies blocks that no new entry falls into.
        let blocks = UInt64(first.1.reduce(0) { $0 + $1.metadata.blockCount })
        #expect(second.2 > blocks * 8 / 10)
        #expect(second.0.count == 2000)
    }

    @Test func itIsReplacedWhenItServesNoLonger() throws {
        let shelf = try shelf()
        let first = try merge(shelf, [(0, [shelf.make(rows(0..<2000, 1))])])
        let changed = rows(0..<6000, 10_000, .orders)
        let second = try merge(shelf, [(0, [shelf.make(changed)]), (6, first.1)])
        #expect(try identifiers(second.1).count == 1)
        #expect(try identifiers(second.1) != identifiers(first.1))
        #expect(second.2 == 0 && second.0.map(\.value) == changed.map(\.value))
    }

    @Test func itHasNoDictionaryIfNoneMayBeTrained() throws {
        let shelf = try shelf()
        let first = try merge(shelf, [(0, [shelf.make(rows(0..<2000, 1))])])
        shelf.options.trainsDictionaries = false
        let second = try merge(shelf, [(0, [shelf.make(rows(900..<950, 10_000))]), (6, first.1)])
        #expect(try first.1.allSatisfy { try $0.sliceCode(of: id)?.code.dictionary.isEmpty == false })
        #expect(try second.1.allSatisfy { try $0.sliceCode(of: id)?.code.dictionary.isEmpty == true })
        #expect(second.0.count == 2000)
    }

    /// A code's dictionary contains pieces of values, so it does not outlive the last of these values after their
    /// erasure.
    @Test func itGoesWithWhatItWasMadeOf() throws {
        let shelf = try shelf()
        let first = try merge(shelf, [(0, [shelf.make(rows(0..<2000, 1))])])
        let job = CompactionJob(
            .merge,
            [
                CompactionJob.Input(level: 0, segments: [try shelf.make(rows(0..<2000, 10_000))]),
                CompactionJob.Input(level: 6, segments: first.1),
            ], outputLevel: 6, isLast: true)
        let erasures = [id: Erasure(truncatedThrough: 5000)]
        let result = try shelf.run(job, Horizon(snapshots: [], wallMilliseconds: 100, erasures: erasures))
        #expect(result.rows.count == 2000)
        #expect(try identifiers(result.outputs).count == 1)
        #expect(try identifiers(result.outputs) != identifiers(first.1))
    }

    @Test func aRewriteKeepsIt() throws {
        let shelf = try shelf()
        let first = try merge(shelf, [(0, [shelf.make(rows(0..<2000, 1))])])
        let job = CompactionJob(
            .rewrite, [CompactionJob.Input(level: 6, segments: [first.1[0]])], outputLevel: 6, isLast: true)
        let result = try shelf.run(job, horizon)
        #expect(result.statistics.copiedBlocks == UInt64(first.1[0].metadata.blockCount))
        #expect(try identifiers(result.outputs) == identifiers(first.1))
    }

    @Test(arguments: [true, false]) func blocksOfTheOtherFormatAreNotCopied(_ isUpgrade: Bool) throws {
        let shelf = try shelf()
        shelf.options.splitsBlocks = !isUpgrade
        let old = rows(0..<2000, 1)
        let first = try merge(shelf, [(0, [shelf.make(old)])])
        shelf.options.splitsBlocks = isUpgrade
        let second = try merge(shelf, [(0, [shelf.make(rows(3000..<3010, 10_000))]), (6, first.1)])
        #expect(second.2 == 0)
        #expect(second.1.allSatisfy { $0.metadata.features.contains(.splitBlocks) == isUpgrade })
        #expect(second.0.prefix(2000).map(\.value) == old.map(\.value))
    }
}
