import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

/// What compaction has replaced is gone when closing or reclaiming returns, whatever another thread is in the middle of: the
/// readers of all stores of a process share one epoch domain.
@Suite struct ReplacedFileTests {
    private static let schedulings: [EngineEnvironment.Scheduling] = [.inline, .deferred, .threads]

    private static func filled(_ scheduling: EngineEnvironment.Scheduling) throws -> (TestStore, NamespaceID) {
        let store = try TestStore(scheduling: scheduling)
        let ns = try store.namespace("n")
        for i in 0..<3000 { try store.put("key\(i)", "value \(i)", in: ns, PutOptions(isPurgeable: i % 3 != 0)) }
        try store.engine.compact()
        for i in 0..<1000 { try store.put("key\(i)", "again \(i)", in: ns) }
        try store.engine.flush()
        return (store, ns)
    }

    /// Runs `body` while a thread is in a call, which ends a moment after `body` says so.
    private static func duringACall(_ body: (_ endSoon: () -> Void) throws -> Void) throws {
        let (hasBegun, mayEnd) = (Parker(), Parker())
        let reader = try WorkerThread.start(name: "reader") {
            EpochDomain.shared.withPin { (_) in
                hasBegun.unpark()
                mayEnd.park()
                sleepNanoseconds(50_000_000)
            }
        }
        hasBegun.park()
        try body { mayEnd.unpark() }
        reader.join()
    }

    private static func segmentsOnDisk(_ store: TestStore) -> Int {
        store.files.paths().count { $0.hasSuffix(".seg") }
    }

    private static func segments(_ store: TestStore) -> Int {
        store.engine.statistics.levels.reduce(0) { $0 + $1.segments }
    }

    @Test(arguments: schedulings) func areGoneWhenItIsClosed(_ scheduling: EngineEnvironment.Scheduling) throws {
        let (store, _) = try Self.filled(scheduling)
        try Self.duringACall { (endSoon) in
            try store.engine.compact()
            let live = Self.segments(store)
            endSoon()
            try store.engine.close()
            #expect(Self.segmentsOnDisk(store) == live)
        }
    }

    @Test(arguments: schedulings) func areGoneWhenItIsReclaimed(_ scheduling: EngineEnvironment.Scheduling) throws {
        let (store, ns) = try Self.filled(scheduling)
        try Self.duringACall { (endSoon) in
            try store.engine.purge([ns])
            endSoon()
            try store.engine.reclaim()
            #expect(Self.segmentsOnDisk(store) == Self.segments(store))
        }
        try store.engine.close()
    }
}
