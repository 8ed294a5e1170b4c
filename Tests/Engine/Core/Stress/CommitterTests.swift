import ShaleBase
import ShalePlatform
import ShaleSimulation
import Synchronization
import TestSupport
import Testing

@testable import ShaleEngine

/// Rare orders of events in the commit path.
@Suite struct CommitterTests {
    private func open(
        _ files: SimulatedFileSystem, beforeSync hook: @escaping HookedFileSystem.Hook
    ) throws -> Engine {
        var options = TestStore.smallOptions
        options.memtableBytes = 1 << 20
        return try Engine.open(
            at: "/store", options: options,
            environment: EngineEnvironment(
                fileSystem: HookedFileSystem(files, beforeSync: hook), random: SeededRandom(seed: 1)))
    }

    /// The leader's own sync succeeds, but meanwhile the manifest has failed: the batch can't be applied any more.
    @Test func aCommitThatIsPoisonedWhileItsSyncRunsIsNotReportedAsDone() throws {
        let files = SimulatedFileSystem(seed: 1)
        let isArmed = Atomic(false)
        let (log, manifest) = (TestGate(), TestGate())
        let engine = try open(files) { path in
            guard isArmed.load(ordering: .acquiring) else { return }
            if path.hasPrefix("wal/0") { log.pass() }
            if path.hasPrefix("MANIFEST") { manifest.pass() }
        }
        let ns = try engine.createNamespace(named: [1])
        try engine.put([1], forKey: [1], in: ns)
        isArmed.store(true, ordering: .releasing)
        let outcome = Locked<StorageError.Code?>(nil)
        try TestThreads.run(3) { thread in
            switch thread {
            case 0:
                // The flush rotates, and its thread reaches the manifest.
                do { try engine.flush() } catch {
                    #expect([.ioFailure, .poisoned].contains((error as? StorageError)?.code))
                }
            case 1:
                manifest.waitForArrival()
                do throws(StorageError) {
                    try engine.put([2], forKey: [2], in: ns, durability: .synced)
                } catch {
                    outcome.withLock { $0 = error.code }
                }
            default:
                manifest.waitForArrival()
                log.waitForArrival()
                files.inject(FaultRule(on: [.sync], path: "MANIFEST*", when: .always, repeatsForever: true, .error(5)))
                manifest.open()
                let isPoisoned = eventually { engine.statistics.isPoisoned }
                log.open()
                #expect(isPoisoned)
            }
        }
        #expect(outcome.withLock { $0 } == .indeterminate)
        #expect(try engine.entries(in: ns).map(\.key) == [[1]])
    }

    /// Even if writers' groups follow each other without a gap, other callers must get in between.
    @Test func controlOperationsAndSyncsAreNotStarvedBySyncedWriters() throws {
        let files = SimulatedFileSystem(seed: 1)
        files.recordsOperations = false
        let group = GroupGathering(15)
        let engine = try open(files) { group.gather($0) }
        group.watch(engine)
        let ns = try engine.createNamespace(named: [1])
        let isDone = Atomic(false)
        let batchesMeanwhile = Locked<[UInt64]>([])
        try TestThreads.run(17) { thread in
            guard thread == 16 else {
                var i = 0
                while !isDone.load(ordering: .relaxed), i < 10_000 {
                    try engine.put([], forKey: [UInt8(thread)], in: ns, durability: .synced)
                    i += 1
                }
                return
            }
            defer { isDone.store(true, ordering: .relaxed) }
            let hasBegun = eventually { engine.statistics.batches > 100 }
            #expect(hasBegun)
            for i in 0..<10 {
                let before = engine.statistics.batches
                switch i % 3 {
                case 0: try engine.purge([ns])
                case 1: try engine.sync()
                default:
                    // Keys that no writer changes: a conflict is not what the callers wait for here.
                    try engine.transaction { (transaction) throws(StorageError) in
                        _ = try transaction.value(forKey: [21], in: ns)
                        try transaction.put([1], forKey: [20], in: ns)
                    }
                }
                batchesMeanwhile.withLock { $0.append(engine.statistics.batches - before) }
            }
        }
        let waits = batchesMeanwhile.withLock { $0 }
        #expect(waits.count == 10)
        #expect(waits.allSatisfy { $0 < 500 }, "batches that went ahead: \(waits)")
        try engine.close()
    }

    @Test func closingWaitsForASyncThatRuns() throws {
        let files = SimulatedFileSystem(seed: 1)
        let isArmed = Atomic(false)
        let log = TestGate()
        let engine = try open(files) { path in
            if isArmed.load(ordering: .acquiring), path.hasPrefix("wal/0") { log.pass() }
        }
        let ns = try engine.createNamespace(named: [1])
        try engine.put([1], forKey: [1], in: ns)
        isArmed.store(true, ordering: .releasing)
        try TestThreads.run(3) { thread in
            switch thread {
            case 0: try engine.sync()
            case 1:
                log.waitForArrival()
                try engine.close()
            default:
                log.waitForArrival()
                // From the moment at which `close` ends writing it waits for the sync.
                let isClosing = eventually {
                    code { () throws(StorageError) in try engine.put([1], forKey: [1], in: ns) } == .closed
                }
                log.open()
                #expect(isClosing)
            }
        }
        #expect(files.faultsFired.isEmpty)
    }
}
