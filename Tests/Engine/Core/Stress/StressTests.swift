import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

/// All operations at once, also for runs under the thread sanitizer. `STRESS_SCALE` prolongs it.
@Suite(.serialized) struct StressTests {
    private static var seconds: Double { 2.5 * Double(StressLimits.scale) }

    private func run(_ store: StressStore, _ roles: [@Sendable () throws -> Void]) throws {
        try TestThreads.run(roles.count) { i in
            do {
                try roles[i]()
            } catch {
                store.end()
                throw error
            }
        }
    }

    @Test func writersReadersAndMaintenanceDoNotDisturbEachOther() throws {
        let store = try StressStore(writers: 4, seconds: StressTests.seconds)
        try run(
            store,
            [
                { try store.write(0, .buffered) }, { try store.write(1, .buffered) }, { try store.write(2, .synced) },
                { try store.write(3, .synced) }, { try store.read(0) }, { try store.read(1) },
                { try store.scan(.forward) }, { try store.scan(.reversed) }, { try store.holdCursors(0) },
                { try store.maintain(7) }, { try store.maintain(8) },
            ])
        try store.checkNothingIsLost(in: store.engine)
        #expect(store.engine.statistics.backgroundFailures == 0)
        let killed = try TestStore.open(store.files.crashClone(.processKill), TestStore.smallOptions)
        try store.checkNothingIsLost(in: killed)
        try store.engine.close()
        let reopened = try TestStore.open(store.files, TestStore.smallOptions)
        try store.checkNothingIsLost(in: reopened)
    }

    /// Minimal limits cause constant rotations, stops and evictions.
    @Test func aStarvedStoreKeepsItsPromises() throws {
        let store = try StressStore(writers: 2, seconds: StressTests.seconds) {
            $0.immutableMemtables = 1
            $0.l0CompactionTrigger = 1
            $0.l0SlowdownTrigger = 2
            $0.l0StopTrigger = 4
            $0.compactionThreads = 1
            $0.openFileLimit = 16
            $0.syncInterval = .milliseconds(10)
        }
        try run(
            store,
            [
                { try store.write(0, .buffered) }, { try store.write(1, .synced) }, { try store.read(0) },
                { try store.scan(.reversed) }, { try store.holdCursors(1) },
            ])
        try store.checkNothingIsLost(in: store.engine)
        try store.engine.close()
    }

    @Test func transactionsLoseNoUpdate() throws {
        let store = try StressStore(writers: 1, seconds: StressTests.seconds / 2)
        let total = Locked(0)
        let count: @Sendable () throws -> Void = {
            let successes = try store.count()
            total.withLock { $0 += successes }
        }
        try run(store, [count, count, count, { try store.write(0, .synced) }, { try store.maintain(3) }])
        let value = try store.engine.value(forKey: [1], in: store.counters)
        #expect(StressStore.number(value) == total.withLock { $0 })
        try store.engine.close()
    }

    /// Calls in progress get `.closed`, or `.cancelled` if they are compactions, and nothing else.
    @Test func closingUnderLoadIsOrderly() throws {
        for round in 0..<StressLimits.scaled(8) {
            let store = try StressStore(writers: 2, seconds: 20)
            func untilClosed(_ body: @escaping @Sendable () throws -> Void) -> @Sendable () throws -> Void {
                {
                    do {
                        try body()
                    } catch let error as StorageError {
                        guard error.code == .closed || error.code == .cancelled else { throw error }
                    }
                }
            }
            try run(
                store,
                [
                    untilClosed { try store.write(0, .buffered) }, untilClosed { try store.write(1, .synced) },
                    untilClosed { try store.read(0) }, untilClosed { try store.scan(.forward) },
                    untilClosed { try store.maintain(UInt64(round)) },
                    {
                        let isUnderLoad = eventually { store.engine.statistics.batches > 500 * UInt64(1 + round % 8) }
                        #expect(isUnderLoad)
                        try store.engine.close()
                    },
                ])
            let reopened = try TestStore.open(store.files, TestStore.smallOptions)
            #expect(reopened.recovery.replayedBatches == 0)
            try store.checkNothingIsLost(in: reopened)
        }
    }
}
