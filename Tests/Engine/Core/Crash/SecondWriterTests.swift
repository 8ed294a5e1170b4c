import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Synchronization
import TestSupport
import Testing

@testable import ShaleEngine

/// LOCK is removed, renamed or replaced while the store is open, and a second engine opens it. Nothing is
/// lost of what either acknowledges as durable: the first engine detects the loss of its lock before it acknowledges
/// anything more.
@Suite struct SecondWriterTests {
    enum Way: CaseIterable {
        case removed, renamed, replaced

        func disturb(_ files: SimulatedFileSystem) throws {
            let root = try files.openDirectory("/store", create: false)
            switch self {
            case .removed: try root.remove("LOCK")
            case .renamed: try root.rename("LOCK", to: "LOCK.old", in: root)
            case .replaced:
                try root.create("other").close()
                try root.rename("other", to: "LOCK", in: root)
            }
        }
    }

    /// Opens a second engine. Unfinished work of the first one may take a file number a second time; the opener then
    /// gets an error and retries.
    private func openBeside(_ store: TestStore) throws -> Engine {
        for _ in 0..<3 {
            do {
                return try TestStore.open(store.files, store.options, .threads)
            } catch let error as StorageError where error.code == .ioFailure {
                continue
            }
        }
        return try TestStore.open(store.files, store.options, .threads)
    }

    private func isLocked(_ error: StorageError?) -> Bool {
        guard let error else { return false }
        return error.code == .locked || isLocked(error.cause as? StorageError)
    }

    @Test(arguments: Way.allCases) func aSyncedWriteIsNotAcknowledgedBesideASecondWriter(_ way: Way) throws {
        let store = try TestStore(scheduling: .deferred)
        let ns = try store.namespace("n")
        try store.put("before", "1", in: ns, durability: .synced)
        try way.disturb(store.files)
        let second = try TestStore.open(store.files, store.options, .deferred)
        let error = #expect(throws: StorageError.self) { try store.put("after", "2", in: ns, durability: .synced) }
        #expect(error?.code == .indeterminate && isLocked(error), "\(String(describing: error))")
        #expect(store.engine.statistics.isPoisoned)
        #expect(code { () throws(StorageError) in try store.engine.sync() } == .poisoned)
        let keys = try second.entries(in: ns).map { String(decoding: $0.key, as: UTF8.self) }
        #expect(keys == ["before"])
        try second.put([1], forKey: [2], in: ns, durability: .synced)
        #expect(throws: StorageError.self) { try store.engine.close() }
        try second.close()
        let third = try TestStore.open(store.files, store.options)
        #expect(try third.entries(in: ns).count == 2)
        try third.close()
    }

    /// Applies even before a second writer opens: nothing is written to the manifest or a new log.
    @Test(arguments: Way.allCases) func noEditAndNoRotationHappens(_ way: Way) throws {
        let actions: [(String, (TestStore, NamespaceID) throws -> Void)] = [
            ("create", { store, _ in _ = try store.namespace("other") }),
            ("purge", { store, ns in try store.engine.purge([ns]) }),
            ("drop", { store, ns in try store.engine.drop([ns]) }),
            ("rewrite", { store, _ in try store.engine.rewriteManifest() }),
            ("flush", { store, _ in try store.engine.flush() }),
            ("sync", { store, _ in try store.engine.sync() }),
            ("close", { store, _ in try store.engine.close() }),
            (
                "rotation",
                { store, ns in
                    for i in 0..<200 { try store.put("key\(i)", String(repeating: "v", count: 1000), in: ns) }
                }
            ),
        ]
        for (name, action) in actions {
            let store = try TestStore()
            let ns = try store.namespace("n")
            try store.put("key", "value", in: ns)
            try store.engine.sync()
            let manifest = try #require(store.files.paths().first { $0.contains("MANIFEST") })
            let before = (store.files.read(manifest), store.files.read("/store/CURRENT"))
            let logs = store.files.paths().filter { $0.hasSuffix(".wal") }
            try way.disturb(store.files)
            let error = #expect(throws: StorageError.self, "\(name)") { try action(store, ns) }
            #expect(isLocked(error), "\(name): \(String(describing: error))")
            #expect(store.files.read(manifest) == before.0 && store.files.read("/store/CURRENT") == before.1, "\(name)")
            #expect(store.files.paths().filter { $0.hasSuffix(".wal") } == logs, "\(name)")
            if name != "close" { #expect(try store.get("key", in: ns) == "value", "reads continue: \(name)") }
        }
    }

    /// The second engine opens while writers of the first one are active.
    @Test func acknowledgedWritesAreThereForTheSecondWriter() throws {
        let store = try TestStore(scheduling: .threads)
        let ns = try store.namespace("n")
        let acknowledged = Locked<Set<String>>([])
        let threads = try (0..<4).map { writer in
            try WorkerThread.start(name: "test-writer") { [engine = store.engine] in
                for i in 0..<20_000 {
                    let key = "\(writer)-\(i)"
                    do {
                        try unsafe engine.put(
                            [7].span.bytes, forKey: Array(key.utf8).span.bytes, in: ns, durability: .synced)
                    } catch {
                        return
                    }
                    acknowledged.withLock { _ = $0.insert(key) }
                }
                Issue.record("the first writer was never stopped")
            }
        }
        #expect(eventually { acknowledged.withLock { $0.count } > 100 })
        try Way.renamed.disturb(store.files)
        let second = try openBeside(store)
        for thread in threads { thread.join() }
        let shown = Set(try second.entries(in: ns).map { String(decoding: $0.key, as: UTF8.self) })
        let lost = acknowledged.withLock { $0 }.subtracting(shown)
        #expect(lost.isEmpty, "\(lost.count) acknowledged writes are lost")
        #expect(throws: StorageError.self) { try store.engine.close() }
        try second.close()
    }
}
