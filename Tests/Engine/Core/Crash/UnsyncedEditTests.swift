import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

/// A kill leaves edits and logs that were never synced. A power loss during the following recovery may undo them, and
/// keep any part of the recovery.
@Suite struct UnsyncedEditTests {
    /// Returns a store whose manifest's last edit is written but not synced.
    private func killed(_ change: (TestStore, NamespaceID) throws -> Void) throws -> SimulatedFileSystem {
        let store = try TestStore()
        let ns = try store.namespace("n")
        try store.put("key", "value", in: ns, durability: .synced)
        var left: SimulatedFileSystem?
        store.files.willPerform = { [unowned store] kind, path in
            guard kind == .sync, path.contains("MANIFEST"), left == nil else { return }
            left = store.files.crashClone(.processKill)
        }
        try change(store, ns)
        store.files.willPerform = nil
        return try #require(left)
    }

    /// Opens the disk. A power loss before each call of the open must leave a store.
    private func expectStores(_ disk: SimulatedFileSystem) throws {
        var states = 0
        var failures: [String] = []
        disk.willPerform = { kind, path in
            guard OperationSet.changes.contains(kind) else { return }
            for seed in 0..<60 {
                var policy = CrashPolicy.drawn(SeededRandom(seed: UInt64(seed)))
                // All or nothing of each change: only the combination matters here.
                policy.tear = 0
                let left = disk.crashClone(policy, seed: UInt64(seed))
                states += 1
                do {
                    let engine = try ScriptRun.open(left)
                    try engine.close()
                } catch {
                    failures.append("SEED=\(seed) before \(kind.rawValue) \(path): \(error)")
                }
            }
        }
        _ = try ScriptRun.open(disk)
        #expect(states > 500)
        #expect(failures.isEmpty, "\(failures.count) of \(states): \(failures.first ?? "")")
    }

    /// Only the edit holds its sequence.
    @Test func aPurgeMayBeTakenBack() throws {
        try expectStores(try killed { store, ns in try store.engine.purge([ns]) })
    }

    /// The edit says that no log is needed, while the log exists.
    @Test func aCloseMayBeTakenBack() throws {
        try expectStores(try killed { store, _ in try store.engine.close() })
    }
}
