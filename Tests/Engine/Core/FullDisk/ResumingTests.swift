import ShaleBase
import ShaleCompaction
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleEngine

/// Writes succeed again without intervention, within 5 s of space.
@Suite struct ResumingTests {
    private static let limit = Duration.seconds(5)

    /// The engine's own threads do it, in a store that was opened without space.
    @Test func aStoreOpenedWithoutSpaceBeginsToWrite() throws {
        let killed = try KilledStore()
        killed.fill(killed.disk)
        var options = TestStore.smallOptions
        options.time = SystemTime()
        let engine = try TestStore.open(killed.disk, options, .threads)
        #expect(KilledStore.write(engine) == .noSpace)
        let hasFailed = eventually { engine.statistics.backgroundFailures > 0 }
        #expect(hasFailed)
        killed.disk.setQuota(1 << 40)
        let resumes = eventually(within: ResumingTests.limit) { KilledStore.write(engine) == nil }
        #expect(resumes)
        let isOver = eventually { !engine.statistics.isOutOfSpace }
        #expect(isOver)
        #expect(try KilledStore.count(engine, KilledStore.cached) == killed.cachedCount)
        try engine.close()
        // Neither logs nor attempts have left a file.
        #expect(killed.disk.paths().allSatisfy { !$0.contains("/wal/") })
        let reopened = try KilledStore.open(killed.disk)
        #expect(reopened.recovery.removedFiles == 0)
    }

    /// The space that a purge frees suffices, without external help.
    @Test func aPurgeMakesRoomForWriting() throws {
        let killed = try KilledStore(entries: 600, keptEvery: 30)
        // Moves most of the data into segments.
        killed.disk.setQuota(1 << 40)
        try KilledStore.open(killed.disk).close()
        killed.fill(killed.disk)
        var options = TestStore.smallOptions
        options.time = SystemTime()
        let engine = try TestStore.open(killed.disk, options, .threads)
        #expect(KilledStore.write(engine) == .noSpace)
        try engine.purge([try #require(engine.namespace(named: KilledStore.cached)).id])
        let resumes = eventually(within: ResumingTests.limit) { KilledStore.write(engine) == nil }
        #expect(resumes)
        #expect(try KilledStore.count(engine, KilledStore.kept) == killed.keptCount + 1)
        try engine.close()
    }

    /// While nothing changes, failed work is not repeated; the engine only checks whether there is space.
    @Test func aFlushIsNotRepeatedWhereItMustFail() throws {
        let killed = try KilledStore()
        killed.fill(killed.disk)
        killed.disk.setQuota(killed.disk.usedBytes + (40 << 10))
        var options = TestStore.smallOptions
        options.time = SystemTime()
        let engine = try TestStore.open(killed.disk, options, .threads)
        let isFull = eventually { engine.statistics.isOutOfSpace && engine.statistics.backgroundFailures > 0 }
        #expect(isFull)
        killed.disk.recordsOperations = true
        let before = killed.disk.operationCount
        // A real period in which the engine must not try again.
        sleepNanoseconds(2_500_000_000)
        let writes = killed.disk.operations.filter {
            $0.index >= before && $0.kind == .write && $0.path.contains(".seg")
        }
        #expect(writes.count <= 2, "\(writes.count)")
        killed.disk.setQuota(1 << 40)
        let resumes = eventually(within: ResumingTests.limit) { KilledStore.write(engine) == nil }
        #expect(resumes)
        try engine.close()
    }
}

/// Compactions with little space: jobs that fit run, jobs that free space first.
@Suite struct ShortSpaceCompactionTests {
    /// L0 as a whole does not fit, so its job fails. Segments of mixed entries are rewritten one by one, which makes
    /// room for it.
    @Test func aFailingL0JobDoesNotHoldUpWhatReturnsSpace() throws {
        let disk = try ShortSpaceCompactionTests.crowdedDisk()
        let engine = try ShortSpaceCompactionTests.open(disk)
        try ShortSpaceCompactionTests.purge(engine)
        try expectResumption(engine)
        try engine.close()
    }

    /// Two jobs that run at the same time take the space from each other, and the smaller one fails too. Its failure
    /// must not exclude all jobs for ever.
    @Test func aSmallJobThatFailedBesideALargeOneIsTriedAgain() throws {
        let disk = try ShortSpaceCompactionTests.crowdedDisk()
        let engine = try ShortSpaceCompactionTests.open(disk)
        let background = try #require(engine.core.background)
        background.lock.withLock {
            background.limitOutput(below: 1, at: engine.core.clock.monotonicNanoseconds)
        }
        try ShortSpaceCompactionTests.purge(engine)
        try expectResumption(engine)
        try engine.close()
    }

    private static let segments = 26

    /// Returns a disk with segments of L0 of which a third is kept. It has room for a part of the live entries.
    private static func crowdedDisk() throws -> SimulatedFileSystem {
        let store = try TestStore(SimulatedFileSystem(seed: 1), scheduling: .deferred)
        let cache = try store.namespace("cache")
        let kept = try store.namespace("kept")
        let random = SeededRandom(seed: 8)
        func value() -> String {
            String((0..<900).map { _ in Character(Unicode.Scalar(UInt8(97 + random.below(26)))) })
        }
        for segment in 0..<segments {
            for index in 0..<30 {
                let isKept = index % 3 == 0
                try store.put(
                    "key\(segment)-\(index)", value(), in: isKept ? kept : cache,
                    options: PutOptions(isPurgeable: !isKept))
            }
            try store.engine.core.committer.exclusively { () throws(StorageError) in
                try store.engine.core.rotate(bytes: 0, operations: 0)
            }
            while store.engine.core.hasImmutableMemtable { try store.engine.core.flushOldest() }
        }
        #expect(store.engine.statistics.levels[0].segments == segments)
        let disk = store.files.crashClone(.processKill)
        disk.setQuota(disk.usedBytes + (220 << 10))
        return disk
    }

    private static func open(_ disk: SimulatedFileSystem) throws -> Engine {
        var options = TestStore.smallOptions
        options.time = SystemTime()
        return try TestStore.open(disk, options, .threads)
    }

    private static func purge(_ engine: Engine) throws {
        try engine.purge([try #require(engine.namespace(named: KilledStore.cached)).id])
    }

    private func expectResumption(_ engine: Engine) throws {
        let stop = TestStore.smallOptions.l0StopTrigger
        let isDone = eventually(within: .seconds(30)) { engine.statistics.levels[0].segments < stop }
        #expect(isDone, "L0 has \(engine.statistics.levels[0].segments) segments")
        let resumes = eventually(within: .seconds(5)) { KilledStore.write(engine) == nil }
        #expect(resumes)
        #expect(try KilledStore.count(engine, KilledStore.kept) == ShortSpaceCompactionTests.segments * 10 + 1)
    }
}
