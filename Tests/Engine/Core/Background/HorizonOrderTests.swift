import ShaleBase
import ShaleCompaction
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleEngine

/// A job's horizon is never older than its version.
@Suite struct HorizonOrderTests {
    /// Between the reading of version and horizon, a purge runs, an entry is written, and a flush
    /// brings the entry into the tree. A job with the entry but without the purge would give the entry a sequence below
    /// the watermark.
    @Test func anEntryAfterAPurgeIsNotTakenForOneBeforeIt() throws {
        let store = try TestStore(scheduling: .deferred)
        let ns = try store.namespace("n")
        let purgeable = PutOptions(isPurgeable: true)
        try store.put("before", "1", in: ns, options: purgeable)
        try store.engine.flush()
        let core = store.engine.core
        try HorizonOrderTests.compact(core) {
            try store.engine.purge([ns])
            try store.put("after", "2", in: ns, options: purgeable)
            try HorizonOrderTests.flush(core)
        }
        try HorizonOrderTests.compact(core) {}
        #expect(try store.scan(ns) == ["after=2"])
    }

    /// The same with a snapshot that begins in between and would lose the version that it sees.
    @Test func aSnapshotKeepsWhatItSees() throws {
        let store = try TestStore(scheduling: .deferred)
        let ns = try store.namespace("n")
        try store.put("key", "old", in: ns)
        try store.engine.flush()
        let core = store.engine.core
        var snapshot: Engine.Snapshot?
        try HorizonOrderTests.compact(core) {
            snapshot = store.engine.snapshot()
            try store.put("key", "new", in: ns)
            try HorizonOrderTests.flush(core)
        }
        #expect(try store.get("key", in: ns, at: snapshot) == "old")
        #expect(try store.get("key", in: ns) == "new")
    }

    /// Flushes as the flush thread does: without a compaction afterwards.
    private static func flush(_ core: EngineCore) throws {
        try core.committer.exclusively { () throws(StorageError) in try core.rotate(bytes: 0, operations: 0) }
        try core.flushOldest()
    }

    /// Runs one merge of all of L0. The picker calls `between` while it picks the job.
    private static func compact(_ core: EngineCore, _ between: () throws -> Void) throws {
        let picker = core.picker { do { try between() } catch { Issue.record("\(error)") } }
        if let job = picker.l0Job() { try core.run(job, picker.horizon, progress: nil) }
    }
}
