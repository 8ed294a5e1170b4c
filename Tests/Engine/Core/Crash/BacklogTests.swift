import ShaleEngine
import ShaleSimulation
import TestSupport
import Testing

/// Several memtables and their logs wait for a flush. A log is removed only when its own memtable is a segment, and the
/// loss of any log is detected (contract D-3, R-4).
@Suite struct BacklogTests {
    private static let script = CrashScript(
        "backlog",
        [.create("a")] + (0..<60).map { .put("a", $0 % 41, bytes: 5000) }
            + [.work] + (0..<50).map { .put("a", $0 % 37, bytes: 4000) } + [.flush, .put("a", 1), .work])

    /// Calls `each` before each change on the disk.
    private func run(_ each: @escaping (ScriptRun, OperationKind, String) -> Void) throws {
        let run = ScriptRun(BacklogTests.script, scheduling: .deferred)
        run.files.willPerform = { [unowned run] kind, path in
            if OperationSet.changes.contains(kind) { each(run, kind, path) }
        }
        try run.run()
    }

    @Test func aCrashBetweenTwoFlushesLeavesAPrefix() throws {
        let checker = CrashChecker()
        var point = 0
        let sampling = StateSampling(seed: 5, oneIn: Ring.choose(commit: 24, nightly: 1, release: 1))
        try run { run, kind, path in
            // Only calls of flushes: other tests crash writes to logs often enough.
            guard !path.contains("/wal/") || kind == .remove else { return }
            point += 1
            checker.checkCrashes(of: run, at: point, where: { sampling.takes(point, $0) }, "before \(path)")
        }
        #expect(checker.states > 40)
        Ring.covered(checker.states, "crash states", "backlog")
    }

    @Test func aMissingLogOfSeveralIsNoticed() throws {
        var states = 0
        try run { run, kind, path in
            // The first flush of a row is in the manifest, and its log is not removed yet.
            guard kind == .remove, path.contains("/wal/") else { return }
            let killed = run.files.crashClone(.processKill)
            for log in killed.paths() where log.contains("/wal/") && log > path {
                let disk = killed.crashClone(.keepAll)
                // A spare log holds nothing.
                if disk.read(log)?.allSatisfy({ $0 == 0 }) == true { continue }
                disk.remove(log)
                states += 1
                let error = #expect(throws: StorageError.self, "\(log)") { _ = try ScriptRun.open(disk) }
                #expect(error?.code == .missingLog, "\(log)")
                #expect(error?.file.map { log.hasSuffix($0) } == true, "\(log): \(String(describing: error))")
            }
        }
        #expect(states > 5)
    }
}
