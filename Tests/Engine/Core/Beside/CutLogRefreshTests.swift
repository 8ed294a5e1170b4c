import ShaleBase
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleEngine

/// Logs that seem to lack their end when a reader opens: the owner was still writing, or a power loss has taken it.
@Suite struct CutLogRefreshTests {
    private static let filler = String(repeating: "x", count: 600)

    private func fill(_ store: TestStore, _ ns: NamespaceID) throws {
        for key in 0..<160 { try store.put("key\(key)", Self.filler, in: ns) }
    }

    private func open(_ files: SimulatedFileSystem, _ store: TestStore) throws -> Engine {
        var options = store.options
        options.mode = .readOnly
        return try TestStore.open(files, options)
    }

    /// The owner ends a log after the reader has read it, and begins the file that was made ahead before the reader
    /// comes to that. The reader shows what precedes the batches that it missed, and refreshes find them.
    @Test(arguments: [true, false])
    func aLogThatEndsWhileAReaderOpensIsReadOn(flushes: Bool) throws {
        let store = try TestStore(scheduling: flushes ? .inline : .deferred)
        let ns = try store.namespace("n")
        try store.put("first", "value", in: ns)
        let spareLog = try #require(store.engine.core.spareLog)
        try spareLog.refill(.none)
        let spare = try #require(store.files.paths().filter { $0.hasSuffix(".wal") }.max())
        var hasRun = false
        store.files.willPerform = { [self] _, path in
            guard !hasRun, path == spare else { return }
            hasRun = true
            do { try fill(store, ns) } catch { Issue.record("\(error)") }
        }
        var reader = try open(store.files, store)
        store.files.willPerform = nil
        #expect(hasRun)
        #expect(try reader.count(in: ns) == 1)
        for round in 0..<3 {
            reader = try reader.refreshed()
            #expect(try reader.count(in: ns) == UInt64(161 + round))
            try store.put("round\(round)", "value", in: ns)
        }
        try store.engine.close()
    }

    /// Without an owner the end does not come. Later logs belong to no state, until an owner recovers the store.
    @Test func aLogThatAPowerLossHasCutEndsEachState() throws {
        let store = try TestStore(scheduling: .deferred)
        let ns = try store.namespace("n")
        let first = try #require(store.files.paths().filter { $0.hasSuffix(".wal") }.max())
        try fill(store, ns)
        #expect(store.files.paths().filter { $0.hasSuffix(".wal") }.count == 2)
        let files = store.files.crashClone(.processKill)
        let log = try files.openDirectory("/store/wal", create: false).reopen(String(first.suffix(14)))
        try log.truncate(to: 20_000)
        try log.close()
        var reader = try open(files, store)
        let count = try reader.count(in: ns)
        #expect(count > 0 && count < 160)
        for _ in 0..<3 {
            reader = try reader.refreshed()
            #expect(try reader.count(in: ns) == count)
        }
        let owner = try TestStore.open(files, store.options)
        reader = try reader.refreshed()
        #expect(try reader.count(in: ns) == count)
        try owner.put([1], forKey: [1], in: ns)
        reader = try reader.refreshed()
        #expect(try reader.count(in: ns) == count + 1)
        try owner.close()
        try store.engine.close()
    }
}
