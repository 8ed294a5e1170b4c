import ShaleBase
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleEngine

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// `close` on a full disk.
@Suite struct FullDiskClosingTests {
    private static let entries = 100

    /// Makes a store with several memtables that wait for their flush.
    private func store(_ scheduling: EngineEnvironment.Scheduling = .deferred) throws -> (TestStore, NamespaceID) {
        let store = try TestStore(SimulatedFileSystem(seed: 1), scheduling: scheduling)
        let ns = try store.namespace("kept")
        let random = SeededRandom(seed: 4)
        for index in 0..<FullDiskClosingTests.entries {
            let value = String((0..<900).map { _ in Character(Unicode.Scalar(UInt8(97 + random.below(26)))) })
            try store.put("key\(index)", value, in: ns, options: PutOptions(isPurgeable: true))
        }
        return (store, ns)
    }

    @Test(arguments: CrashKind.all.map(\.name))
    func entriesThatCanNotBeFlushedStayInDurableLogs(_ crash: String) throws {
        let (store, _) = try store()
        store.files.setQuota(store.files.usedBytes)
        try store.engine.close()
        let kind = try #require(CrashKind.all.first { $0.name == crash })
        let left = kind.crash(store.files, seed: 3)
        left.setQuota(1 << 40)
        let engine = try KilledStore.open(left)
        #expect(try KilledStore.count(engine, KilledStore.kept) == FullDiskClosingTests.entries)
        #expect(engine.recovery.droppedBytes == 0)
    }

    /// Nothing follows the last memtable, so no log is created for it.
    @Test func closingMakesNoLog() throws {
        let (store, ns) = try store()
        try store.engine.purge([ns])
        store.files.recordsOperations = true
        let before = store.files.operationCount
        store.files.setQuota(store.files.usedBytes)
        try store.engine.close()
        let made = store.files.operations.filter { $0.index >= before && $0.kind == .create }
        #expect(made.isEmpty, "\(made)")
        // Everything was purged, so neither a segment nor a log was needed.
        #expect(store.files.paths().allSatisfy { !$0.contains("/wal/") })
    }

    @Test func closingAfterARefusedWriteIsNoError() throws {
        let (store, ns) = try store(.threads)
        store.files.setQuota(store.files.usedBytes)
        var refusal: StorageError.Code?
        let random = SeededRandom(seed: 6)
        for index in 0..<2000 where refusal == nil {
            refusal = code { () throws(StorageError) in
                try store.engine.put(random.bytes(900), forKey: Array("more\(index)".utf8), in: ns)
            }
        }
        #expect(refusal == .noSpace)
        try store.engine.close()
        store.files.setQuota(1 << 40)
        #expect(try KilledStore.count(KilledStore.open(store.files), KilledStore.kept) >= FullDiskClosingTests.entries)
    }

    /// While the flush thread looks for space, a caller asks for an attempt and waits for its outcome. So there has to
    /// be one, and no failure without it.
    @Test func anAttemptThatIsAskedForDuringTheSearchForSpaceIsMade() throws {
        let (store, _) = try store()
        let core = store.engine.core
        let background = try #require(core.background)
        try core.committer.exclusively { () throws(StorageError) in try core.rotate(bytes: 0, operations: 0) }
        background.lock.withLock {
            background.flushFailures.begin()
            background.flushFailures.fail(StorageError(.noSpace, "full"), at: 0)
        }
        store.files.setQuota(store.files.usedBytes)
        let asked = Locked<Int?>(nil)
        store.files.willPerform = { kind, path in
            guard kind == .create, path.hasSuffix(".seg"), asked.withLock({ $0 == nil }) else { return }
            let attempts = background.flushNow()
            asked.withLock { $0 = attempts }
        }
        #expect(background.lock.withLock { background.flushMayFit(at: 0) })
        let attempts = try #require(asked.withLock { $0 })
        #expect(background.lock.withLock { background.flushFailures.attempts } == attempts)
        store.files.willPerform = nil
        store.files.setQuota(1 << 40)
        try store.engine.close()
    }

    /// Data that can't be made durable is an error.
    @Test func logsThatCanNotBeSyncedAreAnError() throws {
        let (store, _) = try store()
        store.files.setQuota(store.files.usedBytes)
        store.files.inject(FaultRule(on: [.sync], path: "wal/*", when: .match(1), .error(EIO)))
        #expect(code { () throws(StorageError) in try store.engine.close() } == .ioFailure)
    }
}
