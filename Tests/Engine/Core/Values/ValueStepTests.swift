import ShaleBase
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleEngine
@testable import ShaleValues

/// Value files grow beyond a memtable, and are made durable in steps.
@Suite struct ValueStepTests {
    private func makeStore(_ scheduling: EngineEnvironment.Scheduling = .deferred) throws -> TestStore {
        try TestStore(scheduling: scheduling) {
            $0.largeValueBytes = 100
            $0.valueFileBytes = 1 << 20
        }
    }

    /// Puts new keys, so that nothing is overwritten and collected.
    private func fill(_ store: TestStore, _ namespace: NamespaceID, bytes: Int) throws {
        let first = Int(store.engine.statistics.operations)
        for i in 0..<(bytes / 10_000) {
            try store.put("k\(first + i)", String(repeating: "v", count: 10_000), in: namespace)
        }
    }

    /// The syncs of value files since call `first`.
    private func valueSyncs(_ store: TestStore, since first: Int) -> Int {
        store.files.operations.dropFirst(first).count { $0.kind == .sync && $0.path.hasSuffix(".val") }
    }

    @Test func valuesFillTheirFileAndNotTheMemtable() throws {
        let store = try makeStore()
        let a = try store.namespace("a")
        try fill(store, a, bytes: 900_000)
        #expect(store.engine.statistics.immutableMemtables == 0)
        try fill(store, a, bytes: 200_000)
        #expect(store.engine.statistics.immutableMemtables == 1)
    }

    @Test func aFlushFindsNothingLeftAfterAStep() throws {
        let store = try makeStore()
        let a = try store.namespace("a")
        let core = store.engine.core
        let start = store.files.operationCount
        try fill(store, a, bytes: 200_000)
        #expect(try !core.syncGrownValue(), "less than a step")
        try fill(store, a, bytes: 100_000)
        #expect(try core.syncGrownValue())
        #expect(try !core.syncGrownValue())
        #expect(valueSyncs(store, since: start) == 1)
        let afterStep = store.files.operationCount
        try store.engine.flush()
        #expect(valueSyncs(store, since: afterStep) == 0)
        // A later value is synced by the flush.
        try store.put("l", String(repeating: "w", count: 1000), in: a)
        let beforeFlush = store.files.operationCount
        try store.engine.flush()
        #expect(valueSyncs(store, since: beforeFlush) == 1)
    }

    @Test func aFailedStepEndsWritingAndLosesNothingThatWasDurable() throws {
        let store = try makeStore()
        let a = try store.namespace("a")
        try store.put("durable", String(repeating: "d", count: 1000), in: a, durability: .synced)
        try fill(store, a, bytes: 300_000)
        store.files.inject(FaultRule(on: [.sync], path: "/store/segments/*.val", when: .match(1), .error(5)))
        let failure = #expect(throws: StorageError.self) { try store.engine.core.syncGrownValue() }
        #expect(failure?.code == .ioFailure)
        let refused = #expect(throws: StorageError.self) { try store.put("k", "v", in: a) }
        #expect(refused?.code == .poisoned)
        #expect(try store.get("k1", in: a)?.count == 10_000, "reads continue")
        let disk = store.files.crashClone(.dropAll)
        let engine = try TestStore.open(disk, store.options)
        #expect(try engine.entries(in: a).map(\.key).first == Array("durable".utf8))
    }

    /// Threads write values back when writers may soon wait, and not before: no flush and no step during a burst.
    @Test func valuesAreWrittenBackWhenTheBurstHasFilledItsFiles() throws {
        let store = try makeStore(.threads)
        let a = try store.namespace("a")
        let start = store.files.operationCount
        try fill(store, a, bytes: 1_500_000)
        #expect(valueSyncs(store, since: start) == 0)
        #expect(store.engine.statistics.immutableMemtables == 1)
        try fill(store, a, bytes: 1_000_000)
        let isFlushed = eventually { store.engine.statistics.immutableMemtables < 2 }
        #expect(isFlushed)
        #expect(valueSyncs(store, since: start) > 0)
        try store.engine.close()
    }

    @Test func aBurstIsWrittenBackWhenItIsOver() throws {
        let store = try makeStore(.threads)
        let a = try store.namespace("a")
        try fill(store, a, bytes: 1_500_000)
        #expect(store.engine.statistics.immutableMemtables == 1)
        store.time.advance(nanoseconds: 1_100_000_000)
        let isFlushed = eventually { store.engine.statistics.immutableMemtables == 0 }
        #expect(isFlushed)
        try store.engine.close()
    }

    /// Otherwise, writers would be allowed the rate of a flush that finds everything durable.
    @Test func thePaceCountsTheTimeOfSteps() throws {
        let store = try makeStore()
        let a = try store.namespace("a")
        store.files.didPerform = { [time = store.time] kind, path in
            if kind == .sync, path.hasSuffix(".val") { time.advance(nanoseconds: 10_000_000) }
        }
        for _ in 0..<20 {
            try fill(store, a, bytes: 300_000)
            #expect(try store.engine.core.syncGrownValue())
            try store.engine.flush()
        }
        #expect((20_000_000.0..<50_000_000).contains(store.engine.core.pacer.flushRate), "300 kB in 10 ms")
    }
}

/// The durability of one value file.
@Suite struct ValueFileSyncTests {
    private func append(_ byte: UInt8, to writer: ValueFileWriter) throws {
        let value = OwnedBytes([UInt8](repeating: byte, count: 300))
        defer { withExtendedLifetime(value) {} }
        _ = try writer.append(value.bytes, ValueDigest(of: value.bytes))
    }

    /// The kernel reports a lost page once: a second sync would succeed.
    @Test func aFailedSyncIsNotForgotten() throws {
        let files = SimulatedFileSystem(seed: 1)
        let writer = try ValueFileWriter(directory: try files.openDirectory("/values", create: true), number: 7)
        try append(1, to: writer)
        files.inject(FaultRule(on: [.sync], when: .match(1), .error(5)))
        #expect(throws: IOFailure.self) { try writer.sync() }
        #expect(throws: IOFailure.self) { try writer.sync() }
    }

    @Test func aSyncDoesNotCoverWhatIsAppendedBesideIt() throws {
        let files = SimulatedFileSystem(seed: 1)
        let late = Locked<(@Sendable () -> Void)?>(nil)
        let hooked = HookedFileSystem(files) { _ in
            let append = late.withLock { late in
                defer { late = nil }
                return late
            }
            append?()
        }
        let writer = try ValueFileWriter(directory: try hooked.openDirectory("/values", create: true), number: 7)
        try append(1, to: writer)
        // After the sync has begun, as far as the writer knows.
        let outcome = Locked<Result<Void, any Error>?>(nil)
        late.withLock { $0 = { outcome.withLock { $0 = Result { try append(2, to: writer) } } } }
        try writer.sync()
        try outcome.withLock { $0 }?.get()
        #expect(writer.unsyncedBytes > 300)
        let before = files.operationCount
        try writer.sync()
        #expect(files.operations.dropFirst(before).contains { $0.kind == .sync })
        #expect(writer.unsyncedBytes == 0)
    }
}
