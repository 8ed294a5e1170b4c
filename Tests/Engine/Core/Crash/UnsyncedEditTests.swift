import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

/// A kill leaves edits and logs that were never synced; a power loss during the recovery that follows may take them back, and
/// leave of the recovery what it pleases: contract R-1, D-3.
@Suite struct UnsyncedEditTests {
    /// A store of which the manifest's last edit is written and not synced.
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

    /// Opens the disk, and after each of the opening's calls a power loss, each of which must leave a store.
    private func expectStores(_ disk: SimulatedFileSystem) throws {
        var states = 0
        var failures: [String] = []
        disk.willPerform = { kind, path in
            guard OperationSet.changes.contains(kind) else { return }
            for seed in 0..<60 {
                var policy = CrashPolicy.drawn(SeededRandom(seed: UInt64(seed)))
                // Of each file all or nothing: it is the combination that matters here.
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

    /// Its sequence is in the edit alone.
    @Test func aPurgeMayBeTakenBack() throws {
        try expectStores(try killed { store, ns in try store.engine.purge([ns]) })
    }

    /// It says that no log is needed, while the log is there.
    @Test func aCloseMayBeTakenBack() throws {
        try expectStores(try killed { store, _ in try store.engine.close() })
    }
}
