import ShaleBase
import ShaleCompaction
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleEngine

/// Compactions with little space: jobs that fit run, jobs that free space first. Contract E-3.
@Suite struct ShortSpaceCompactionTests {
    /// L0 as a whole does not fit, so its job fails. Segments of mixed entries are rewritten one by one, which makes
    /// room for it.
    @Test func aFailingL0JobDoesNotHoldUpWhatReturnsSpace() throws {
        let store = try TestStore(SimulatedFileSystem(seed: 1), scheduling: .deferred)
        let cache = try store.namespace("cache")
        let kept = try store.namespace("kept")
        let random = SeededRandom(seed: 8)
        func value() -> String {
            String((0..<900).map { _ in Character(Unicode.Scalar(UInt8(97 + random.below(26)))) })
        }
        // Segments of L0 of which a third is kept.
        for segment in 0..<26 {
            for index in 0..<30 {
                let isKept = index % 3 == 0
                try store.put(
                    "key\(segment)-\(index)", value(), in: isKept ? kept : cache, PutOptions(isPurgeable: !isKept))
            }
            try store.engine.core.committer.exclusively { () throws(StorageError) in
                try store.engine.core.rotate(bytes: 0, operations: 0)
            }
            while store.engine.core.hasImmutableMemtable { try store.engine.core.flushOldest() }
        }
        #expect(store.engine.statistics.levels[0].segments == 26)
        let disk = store.files.crashClone(.processKill)
        // Room for one segment of live entries, and no more.
        disk.setQuota(disk.usedBytes + (220 << 10))
        var options = TestStore.smallOptions
        options.time = SystemTime()
        let engine = try TestStore.open(disk, options, .threads)
        try engine.purge([cache])
        let isDone = eventually(within: .seconds(30)) { engine.statistics.levels[0].segments < options.l0StopTrigger }
        #expect(isDone, "L0 has \(engine.statistics.levels[0].segments) segments")
        let resumes = eventually(within: .seconds(5)) { KilledStore.write(engine) == nil }
        #expect(resumes)
        #expect(try KilledStore.count(engine, KilledStore.kept) == 26 * 10 + 1)
        try engine.close()
    }
}
