import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShaleSegment
import ShaleSimulation
import Testing
import _ShaleHotPaths

/// The dictionary that a job gives to its outputs.
@Suite struct DictionaryReuseTests: LastLevelJobs {
    private func shelf() throws -> SegmentShelf { try makeShelf() }

    private func identifiers(_ segments: [Segment]) throws -> Set<UInt64> {
        Set(try segments.compactMap { try $0.blockDictionary(of: id)?.identifier })
    }

    @Test func aJobIntoTheLastLevelTrainsOne() throws {
        let shelf = try shelf()
        let all = rows(0..<2000, 1)
        let (read, outputs, copied) = try merge(shelf, [(0, [shelf.make(all)])])
        #expect(read.map(\.value) == all.map(\.value))
        #expect(outputs.allSatisfy(\.metadata.hasDictionaries) && copied == 0)
        #expect(try identifiers(outputs).count == 1)
    }

    @Test func itStaysWhileItServes() throws {
        let shelf = try shelf()
        let first = try merge(shelf, [(0, [shelf.make(rows(0..<2000, 1))])])
        let second = try merge(shelf, [(0, [shelf.make(rows(900..<950, 10_000))]), (6, first.1)])
        #expect(try identifiers(second.1) == identifiers(first.1))
        // The job copies blocks that no new entry falls into, together with the dictionary.
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

    /// Blocks that nothing overlaps are not copied either if they need a dictionary that the outputs do not have.
    @Test func whenItIsReplacedUntouchedBlocksAreCompressedAnew() throws {
        let shelf = try shelf()
        let old = rows(0..<2000, 1)
        let first = try merge(shelf, [(0, [shelf.make(old)])])
        let added = rows(2000..<8000, 10_000, .orders)
        let second = try merge(shelf, [(0, [shelf.make(added)]), (6, first.1)])
        #expect(try identifiers(second.1).count == 1)
        #expect(try identifiers(second.1) != identifiers(first.1))
        #expect(second.2 == 0 && second.0.map(\.value) == (old + added).map(\.value))
    }

    /// A dictionary contains pieces of values, so it does not outlive the last of these values after their erasure.
    @Test(arguments: [true, false]) func itGoesWithWhatItWasMadeOf(isPurge: Bool) throws {
        let shelf = try shelf()
        let old = rows(0..<2000, 1).map { row in
            var row = row
            row.kind = .put(purgeable: isPurge, hasExpiry: false)
            return row
        }
        let first = try merge(shelf, [(0, [shelf.make(old)])])
        let erasure = isPurge ? Erasure(purgedThrough: 5000) : Erasure(truncatedThrough: 5000)
        let job = CompactionJob(
            .merge,
            [
                CompactionJob.Input(level: 0, segments: [try shelf.make(rows(0..<2000, 10_000))]),
                CompactionJob.Input(level: 6, segments: first.1),
            ], outputLevel: 6, isLast: true)
        let result = try shelf.run(
            job, Horizon(snapshots: [], wallMilliseconds: 100, erasures: [id: erasure]))
        #expect(result.rows.count == 2000)
        #expect(try identifiers(result.outputs).count == 1)
        #expect(try identifiers(result.outputs) != identifiers(first.1))
    }

    /// The blocks behind a namespace's blocks in an input belong to another namespace. The dictionary contains no
    /// piece of their values.
    @Test func itIsMadeOfItsOwnNamespaceAlone() throws {
        let shelf = try shelf()
        var documents = SampleDocuments(.orders, seed: 3)
        let others = (0..<300).map { Row("key\($0 + 1000)", UInt64(20_000 + $0), value: documents.next(), in: 2) }
        func chosen(_ first: [Row]) throws -> BlockDictionary? {
            let inputs = try [shelf.make(first), shelf.make(rows(1000..<2000, 5000))]
            let job = CompactionJob(
                .merge, [CompactionJob.Input(level: 0, segments: inputs)], outputLevel: 6, isLast: true)
            return try DictionaryPlan(job: job, horizon: horizon, options: shelf.options).dictionaries()[id]
        }
        let alone = try #require(try chosen(rows(0..<1000, 1)))
        #expect(try chosen(rows(0..<1000, 1) + others) == alone)
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

    @Test func withoutItBlocksAreWrittenPlain() throws {
        let shelf = try shelf()
        let first = try merge(shelf, [(0, [shelf.make(rows(0..<2000, 1))])])
        shelf.options.trainsDictionaries = false
        let second = try merge(shelf, [(0, [shelf.make(rows(900..<950, 10_000))]), (6, first.1)])
        #expect(second.1.allSatisfy { !$0.metadata.hasDictionaries } && second.2 == 0)
        #expect(second.0.count == 2000)
    }

    @Test func upperLevelsAndFewDataHaveNone() throws {
        let shelf = try shelf()
        let upper = CompactionJob(
            .merge, [CompactionJob.Input(level: 0, segments: [try shelf.make(rows(0..<2000, 1))])], outputLevel: 5,
            isLast: false)
        #expect(try shelf.run(upper, horizon).outputs.allSatisfy { !$0.metadata.hasDictionaries })
        let few = try merge(shelf, [(0, [shelf.make(rows(0..<200, 1))])])
        #expect(few.1.allSatisfy { !$0.metadata.hasDictionaries })
    }

    /// The sampling for a dictionary does not fail the job because of a damaged block.
    @Test func aDamagedSampleIsLeftOut() throws {
        let shelf = try shelf()
        let segment = try shelf.make(rows(0..<2000, 1))
        let dead = Horizon(
            snapshots: [], wallMilliseconds: 100, erasures: [id: Erasure()])
        try segment.open()
        shelf.fileSystem.corrupt("/" + segment.metadata.fileName, at: 10, xor: 1)
        let job = CompactionJob(
            .merge, [CompactionJob.Input(level: 0, segments: [segment])], outputLevel: 6, isLast: true)
        let error = #expect(throws: StorageError.self) { try shelf.run(job, dead) }
        // The job itself reports the damage.
        #expect(error?.code == .corruption && error?.offset == 0)
    }
}
