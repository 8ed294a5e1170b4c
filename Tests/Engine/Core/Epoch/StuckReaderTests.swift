import ShaleBase
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleEngine
@testable import ShalePlatform

/// A reader that stalls in one store delays nothing in another.
@Suite struct StuckReaderTests {
    private static func filled() throws -> TestStore {
        let store = try TestStore()
        let ns = try store.namespace("n")
        for i in 0..<3000 { try store.put("key\(i)", "value \(i)", in: ns, options: PutOptions(isPurgeable: true)) }
        try store.engine.compact()
        return store
    }

    private static func segmentFiles(_ store: TestStore) -> Int { store.files.paths().count { $0.hasSuffix(".seg") } }

    @Test func anotherStoreReclaimsAndClosesWithoutWaitingForIt() throws {
        let held = try TestStore()
        let reader = try PinnedThread(in: held.engine.core.domain)
        let store = try Self.filled()
        let ns = try store.namespace("n")
        try store.engine.purge([ns])
        try store.engine.reclaim()
        #expect(Self.segmentFiles(store) == 0)
        #expect(store.engine.core.domain.retiredCount == 0)
        let began = ContinuousClock.now
        try store.engine.close()
        // The engine waits 1 s for readers of the same store.
        #expect(ContinuousClock.now - began < .milliseconds(900))
        reader.letGo()
        reader.join()
        try held.engine.close()
    }

    /// Returns the ages and bytes that `run` caused to be reported. The stream ends with the engine.
    private static func reported(_ run: (TestStore) throws -> Void) async throws -> [(age: Duration, bytes: Int)] {
        let events = try {
            let store = try TestStore(scheduling: .threads)
            let events = store.engine.events
            try run(store)
            try store.engine.close()
            return events
        }()
        var reported: [(age: Duration, bytes: Int)] = []
        for await event in events { if case .pinHeld(let age, let bytes) = event { reported.append((age, bytes)) } }
        return reported
    }

    @Test func aStuckReaderIsReportedOnceWithWhatItKeeps() async throws {
        let reported = try await Self.reported { store in
            let ns = try store.namespace("n")
            let reader = try PinnedThread(in: store.engine.core.domain)
            for i in 0..<3000 { try store.put("key\(i)", "value \(i)", in: ns) }
            try store.engine.flush()
            // The timer checks every 50 ms of real time; the test controls the store's clock.
            let isOld = eventually {
                store.time.advance(nanoseconds: 1_000_000_000)
                return store.engine.statistics.longPins == 1
            }
            #expect(isOld)
            #expect(store.engine.statistics.oldestPinAge >= .nanoseconds(PinReporter.limitNanoseconds))
            #expect(store.engine.statistics.retiredBytes >= store.options.memtableBytes)
            reader.letGo()
            reader.join()
            #expect(eventually { store.engine.statistics.retiredBytes == 0 })
            #expect(store.engine.statistics.oldestPinAge == .zero)
        }
        #expect(reported.count == 1)
        #expect(reported.allSatisfy { $0.age >= .nanoseconds(PinReporter.limitNanoseconds) && $0.bytes >= 64 << 10 })
    }

    @Test func eachLongCallIsReportedAnew() async throws {
        let reported = try await Self.reported { store in
            var reporter = PinReporter()
            for _ in 0..<2 {
                let reader = try PinnedThread(in: store.engine.core.domain)
                for _ in 0..<30 {
                    reporter.check(store.engine.core)
                    store.time.advance(nanoseconds: 500_000_000)
                }
                reader.letGo()
                reader.join()
                reporter.check(store.engine.core)
            }
        }
        // The timer may have reported them too.
        #expect(reported.count >= 2)
    }

    @Test func aClosedStoreLeavesItsDomainToOthers() throws {
        let store = try TestStore()
        let core = store.engine.core
        #expect(!core.epochs.isOver)
        try store.engine.close()
        #expect(core.epochs.isOver)
    }
}
