import ShaleBase
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleEngine

/// Bytes that are appended or rotated while a sync runs do not count as durable when the sync ends.
///
/// The first sync of the first log is held up after the disk has performed it. Later appends are not covered by it.
@Suite struct SyncCoverageTests {
    /// Returns a function that runs `body` the first time it is called.
    private static func once(_ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let isFirst = Locked(true)
        return {
            let runs = isFirst.withLock { first in
                defer { first = false }
                return first
            }
            if runs { body() }
        }
    }

    /// A caller that must not block asks first. It has to wait for any sync that runs, also of a log that is durable.
    @Test func aRunningSyncIsWaitedForAlsoIfNothingIsLeftToSync() throws {
        let store = try TestStore(scheduling: .deferred)
        let committer = store.engine.core.committer
        try store.engine.sync()
        #expect(!committer.syncWaits)
        let gate = TestGate()
        store.files.isPerforming = { kind, path in if kind == .sync, path.contains("/wal/") { gate.pass() } }
        try TestThreads.run(2) { [engine = store.engine] thread in
            if thread == 0 { return try engine.sync() }
            gate.waitForArrival()
            #expect(engine.core.committer.syncWaits)
            gate.open()
        }
        #expect(!committer.syncWaits)
    }

    private func open(
        _ files: SimulatedFileSystem, afterLogSync: @escaping @Sendable () -> Void,
        beforeEdit: @escaping @Sendable () -> Void = {}
    ) throws -> (Engine, NamespaceID, arm: () -> Void) {
        var options = TestStore.smallOptions
        options.memtableBytes = 1 << 20
        let isArmed = Locked(false)
        let hooked = HookedFileSystem(
            files, afterSync: { if $0.hasPrefix("wal/0"), isArmed.withLock({ $0 }) { afterLogSync() } },
            beforeSync: { if $0.hasPrefix("MANIFEST"), isArmed.withLock({ $0 }) { beforeEdit() } })
        let engine = try Engine.open(
            at: "/store", options: options,
            environment: EngineEnvironment(fileSystem: hooked, random: SeededRandom(seed: 1)))
        let ns = try engine.createNamespace(named: [1])
        try engine.put([1], forKey: [1], in: ns, durability: .buffered)
        return (engine, ns, { isArmed.withLock { $0 = true } })
    }

    private func keysAfterPowerLoss(_ files: SimulatedFileSystem, _ ns: NamespaceID) throws -> [[UInt8]] {
        let left = try TestStore.open(files.crashClone(.dropAll), TestStore.smallOptions)
        return try left.entries(in: ns).map(\.key)
    }

    /// A control operation relies on what is known to be durable.
    @Test func aBatchThatIsAppendedDuringASyncIsSyncedBeforeAControlOperation() throws {
        let files = SimulatedFileSystem(seed: 1)
        let gate = TestGate()
        let (engine, ns, arm) = try open(files, afterLogSync: SyncCoverageTests.once { gate.pass() })
        arm()
        try TestThreads.run(2) { thread in
            if thread == 0 { return try engine.sync() }
            gate.waitForArrival()
            try engine.put([2], forKey: [2], in: ns, durability: .buffered)
            gate.open()
        }
        try engine.purge([ns])
        #expect(try keysAfterPowerLoss(files, ns) == [[1], [2]])
    }

    /// The log is rotated after its sync has covered a part of it. A synced commit in the next log needs the rest.
    @Test func aLogThatIsRotatedDuringItsSyncIsSyncedAgain() throws {
        let files = SimulatedFileSystem(seed: 1)
        let (gate, edit) = (TestGate(), TestGate())
        let (engine, ns, arm) = try open(
            files, afterLogSync: SyncCoverageTests.once { gate.pass() }, beforeEdit: { edit.pass() })
        arm()
        try TestThreads.run(3) { thread in
            switch thread {
            case 0: try engine.sync()
            case 1:
                gate.waitForArrival()
                try engine.put([2], forKey: [2], in: ns, durability: .buffered)
                // Rotates the log and reaches the manifest's edit.
                try engine.flush()
            default:
                edit.waitForArrival()
                let core = engine.core
                let syncs = core.committer.lock.withLock { core.committer.counters.syncs }
                gate.open()
                #expect(eventually { core.committer.lock.withLock { core.committer.counters.syncs } > syncs })
                try engine.put([3], forKey: [3], in: ns, durability: .synced)
                let disk = files.crashClone(.dropAll)
                edit.open()
                let left = try TestStore.open(disk, TestStore.smallOptions)
                #expect(try left.entries(in: ns).map(\.key) == [[1], [2], [3]])
            }
        }
        try engine.close()
    }

    /// The second `sync` finds a running one that began before its batch was appended.
    @Test func aSyncThatComesDuringAnotherCoversWhatThatMissed() throws {
        let files = SimulatedFileSystem(seed: 1)
        let gate = TestGate()
        let (engine, ns, arm) = try open(files, afterLogSync: SyncCoverageTests.once { gate.pass() })
        arm()
        let hasAsked = Locked(false)
        try TestThreads.run(3) { thread in
            switch thread {
            case 0: try engine.sync()
            case 1:
                gate.waitForArrival()
                try engine.put([2], forKey: [2], in: ns, durability: .buffered)
                hasAsked.withLock { $0 = true }
                try engine.sync()
                #expect(try keysAfterPowerLoss(files, ns) == [[1], [2]])
            default:
                #expect(eventually { hasAsked.withLock { $0 } })
                // It is about to wait for the running sync, which nothing shows.
                sleepNanoseconds(20_000_000)
                gate.open()
            }
        }
        try engine.close()
    }

    /// Of two syncs of a file that run at once, the system reports a failure to one. So only one runs.
    @Test func aSyncThatComesDuringAnotherWaitsForItsEnd() throws {
        let files = SimulatedFileSystem(seed: 1)
        let gate = TestGate()
        let hasAsked = Locked(false)
        let running = Locked((now: [String: Int](), most: 0, isArmed: false))
        let pass = SyncCoverageTests.once { gate.pass() }
        let hooked = HookedFileSystem(
            files, afterSync: { path in running.withLock { $0.now[path, default: 0] -= 1 } },
            beforeSync: { path in
                guard path.hasPrefix("wal/0") else { return }
                let isArmed = running.withLock {
                    $0.now[path, default: 0] += 1
                    $0.most = max($0.most, $0.now[path, default: 0])
                    return $0.isArmed
                }
                if isArmed { pass() }
            })
        let engine = try Engine.open(
            at: "/store", options: TestStore.smallOptions,
            environment: EngineEnvironment(fileSystem: hooked, random: SeededRandom(seed: 1)))
        let ns = try engine.createNamespace(named: [1])
        try engine.put([1], forKey: [1], in: ns, durability: .buffered)
        running.withLock { $0.isArmed = true }
        try TestThreads.run(3) { thread in
            switch thread {
            case 0: try engine.sync()
            case 1:
                gate.waitForArrival()
                hasAsked.withLock { $0 = true }
                try engine.sync()
            default:
                #expect(eventually { hasAsked.withLock { $0 } })
                // It is about to wait for the running sync, which nothing shows.
                sleepNanoseconds(20_000_000)
                gate.open()
            }
        }
        #expect(running.withLock { $0.most } == 1)
        try engine.close()
    }
}
