import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@Suite struct SyncIntervalTests {
    /// Contract D-5: no caller syncs, and yet after the interval a power loss loses nothing.
    @Test func aBufferedBatchIsDurableAfterTheInterval() throws {
        let store = try TestStore(scheduling: .threads) {
            $0.syncInterval = .milliseconds(10)
            $0.time = SystemTime()
        }
        let ns = try store.namespace("n")
        for round in 0..<5 {
            try store.put("key", "value \(round)", in: ns)
            #expect(try SyncIntervalTests.becomesDurable("value \(round)", store), "round \(round)")
        }
        try store.engine.close()
    }

    /// Without an interval the batch stays in the page cache.
    @Test func withoutAnIntervalNothingSyncs() throws {
        let store = try TestStore()
        let ns = try store.namespace("n")
        try store.put("key", "value", in: ns)
        let left = try TestStore.open(store.files.crashClone(.dropAll), ScriptRun.options)
        #expect(try left.entries(in: ns).isEmpty)
    }

    private static func becomesDurable(_ value: String, _ store: TestStore) throws -> Bool {
        try eventually {
            let left = try TestStore.open(store.files.crashClone(.dropAll), ScriptRun.options)
            guard let id = left.namespace(named: Array("n".utf8))?.id else { return false }
            return try left.value(forKey: Array("key".utf8), in: id) == Array(value.utf8)
        }
    }
}
