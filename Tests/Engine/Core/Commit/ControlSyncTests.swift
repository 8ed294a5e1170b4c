import ShaleBase
import ShalePlatform
import ShaleSimulation
import Synchronization
import TestSupport
import Testing

@testable import ShaleEngine

/// A log has only one sync at a time. The kernel reports a failed writeback to only one of
/// two concurrent syncs, so the other would treat lost batches as durable.
@Suite struct ControlSyncTests {
    /// `sync()` leads a sync without members when a control operation begins that needs the log durable too. If
    /// `rotates`, the log is no longer the current one by then.
    @Test(arguments: [false, true], [false, true])
    func aControlOperationWaitsForARunningSync(fails: Bool, rotates: Bool) throws {
        let files = SimulatedFileSystem(seed: 1)
        let store = try TestStore(files, scheduling: .deferred)
        let (a, b) = (try store.namespace("a"), try store.namespace("b"))
        try store.put("first", "1", in: a)
        try store.engine.sync()
        try store.put("earlier", "2", in: b)
        if fails { files.inject(FaultRule(on: [.sync], path: "/store/wal/*", when: .match(1), .error(5))) }

        let syncs = LogSyncs()
        syncs.observe(files, fails: fails)
        let codes = try syncWhileDropping(a, in: store.engine, rotates: rotates, syncs)
        #expect(syncs.overlaps.load(ordering: .relaxed) == 0)
        #expect(codes == (fails ? [.indeterminate, .poisoned] : [nil, nil]))
        files.willPerform = nil
        for policy in [CrashPolicy.dropAll, .keepAll] {
            let left = try TestStore.open(files.crashClone(policy), TestStore.smallOptions)
            let isDropped = left.namespace(named: Array("a".utf8)) == nil
            let earlier = try left.value(forKey: Array("earlier".utf8), in: b)
            #expect(isDropped == !fails)
            #expect(!isDropped || earlier != nil, "a hole before the drop")
        }
    }

    /// Drops `namespace` while the first sync is held up, and returns the error codes of the sync and of the drop.
    private func syncWhileDropping(
        _ namespace: NamespaceID, in engine: Engine, rotates: Bool, _ syncs: LogSyncs
    ) throws -> [StorageError.Code?] {
        let core = engine.core
        let committer = core.committer
        let codes = Locked<[StorageError.Code?]>([nil, nil])
        try TestThreads.run(3) { thread in
            do throws(StorageError) {
                switch thread {
                case 0: try engine.sync()
                case 1:
                    syncs.gate.waitForArrival()
                    if rotates {
                        try committer.exclusively { () throws(StorageError) in
                            try core.rotate(bytes: 0, operations: 0)
                        }
                    }
                    try engine.drop([namespace])
                default:
                    syncs.gate.waitForArrival()
                    let isWaiting = eventually {
                        syncs.overlaps.load(ordering: .sequentiallyConsistent) > 0
                            || committer.lock.withLock { committer.drainWaiters > 0 }
                    }
                    #expect(isWaiting)
                    syncs.isOpen.store(true, ordering: .sequentiallyConsistent)
                    syncs.gate.open()
                }
            } catch {
                codes.withLock { $0[thread] = error.code }
            }
        }
        return codes.withLock { $0 }
    }
}

/// Holds up the first sync of a log and counts the syncs of logs that begin meanwhile.
private final class LogSyncs: Sendable {
    let gate = TestGate()
    let overlaps = Atomic(0)
    /// True once the first sync may continue and later syncs are allowed.
    let isOpen = Atomic(false)
    private let begun = Atomic(0)

    /// Observes the syncs of `files`. If `fails`, a rule of `files` makes the first sync of a log fail.
    func observe(_ files: SimulatedFileSystem, fails: Bool) {
        files.willPerform = { [self, unowned files] kind, path in
            guard kind == .sync, path.contains("/wal/") else { return }
            if begun.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue == 1 { return gate.pass() }
            if isOpen.load(ordering: .sequentiallyConsistent) { return }
            overlaps.wrappingAdd(1, ordering: .sequentiallyConsistent)
            gate.open()
            // The first one gets the error.
            _ = eventually { !fails || !files.faultsFired.isEmpty }
        }
    }
}
