import ShaleBase
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleEngine

/// The versions of a key are replayed in the order in which they were written, alone or in
/// batches.
@Suite struct ReplayOrderTests {
    private static let key = Array("key".utf8)

    private static func write(_ number: Int, _ isBatch: Bool, _ store: TestStore, _ namespace: NamespaceID) throws {
        let value = Array("\(number)".utf8)
        if !isBatch {
            return try unsafe store.engine.put(value.span.bytes, forKey: key.span.bytes, in: namespace)
        }
        var batch = WriteBatch()
        try unsafe batch.put(value.span.bytes, forKey: key.span.bytes, in: namespace, options: PutOptions())
        try unsafe batch.put(
            value.span.bytes, forKey: Array("other".utf8).span.bytes, in: namespace, options: PutOptions())
        try store.engine.write(batch)
    }

    /// All orders of six writes, each alone or in a batch.
    @Test func theLastWriteOfAKeyIsTheOneThatIsThereAfterAKill() throws {
        for order in 0..<(1 << 6) {
            let store = try TestStore()
            let namespace = try store.namespace("n")
            for number in 0..<6 { try Self.write(number, order >> number & 1 != 0, store, namespace) }
            let left = try TestStore.open(store.files.crashClone(.processKill), store.options)
            let value = try unsafe left.value(forKey: Self.key.span.bytes, in: namespace)
            #expect(value == Array("5".utf8), "order \(order)")
            let last = left.statistics.lastSequence
            #expect(last == store.engine.statistics.lastSequence)
        }
    }
}

/// Several memtables and their logs wait for a flush. A log is removed only when its own memtable is a segment, and the
/// loss of any log is detected.
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
