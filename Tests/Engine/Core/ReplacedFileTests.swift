import ShaleBase
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleEngine

/// Files that a compaction has replaced are removed when closing or reclaiming returns, whatever another thread is
/// reading.
@Suite struct ReplacedFileTests {
    private static let schedulings: [EngineEnvironment.Scheduling] = [.inline, .deferred, .threads]

    private static func filled(_ scheduling: EngineEnvironment.Scheduling) throws -> (TestStore, NamespaceID) {
        let store = try TestStore(scheduling: scheduling)
        let ns = try store.namespace("n")
        for i in 0..<3000 {
            try store.put("key\(i)", "value \(i)", in: ns, options: PutOptions(isPurgeable: i % 3 != 0))
        }
        try store.engine.compact()
        for i in 0..<1000 { try store.put("key\(i)", "again \(i)", in: ns) }
        try store.engine.flush()
        return (store, ns)
    }

    /// Returns a reader whose call takes 50 ms longer after its release.
    private static func reader(of store: TestStore) throws -> PinnedThread {
        try PinnedThread(in: store.engine.core.domain, lingers: 50_000_000)
    }

    private static func segmentsOnDisk(_ store: TestStore) -> Int {
        store.files.paths().count { $0.hasSuffix(".seg") }
    }

    private static func segments(_ store: TestStore) -> Int {
        store.engine.statistics.levels.reduce(0) { $0 + $1.segments }
    }

    @Test(arguments: schedulings) func replacedFilesAreGoneWhenTheStoreIsClosed(
        _ scheduling: EngineEnvironment.Scheduling
    ) throws {
        let (store, _) = try Self.filled(scheduling)
        let reader = try Self.reader(of: store)
        try store.engine.compact()
        let live = Self.segments(store)
        reader.letGo()
        try store.engine.close()
        #expect(Self.segmentsOnDisk(store) == live)
        reader.join()
    }

    @Test(arguments: schedulings) func replacedFilesAreGoneWhenTheirSpaceIsReclaimed(
        _ scheduling: EngineEnvironment.Scheduling
    ) throws {
        let (store, ns) = try Self.filled(scheduling)
        let reader = try Self.reader(of: store)
        try store.engine.purge([ns])
        reader.letGo()
        try store.engine.reclaim()
        #expect(Self.segmentsOnDisk(store) == Self.segments(store))
        reader.join()
        try store.engine.close()
    }
}
