import ShaleBase
import ShalePlatform
import ShaleSimulation
import Testing

@testable import ShaleEngine
@testable import ShaleManifest

/// The times at which a running engine publishes its statistics.
@Suite struct StatisticsPublisherTests {
    private let store: TestStore

    init() throws { store = try TestStore() }

    private func content(_ files: SimulatedFileSystem) throws -> [UInt8]? {
        let root = try files.openDirectory("/store", create: false)
        guard try root.exists(StoreLayout.statistics) else { return nil }
        let buffer = OwnedBytes(count: StatisticsFile.bytesMax)
        defer { withExtendedLifetime(buffer) {} }
        let file = try root.open(StoreLayout.statistics)
        return buffer.bytes.slice(0, try file.read(into: buffer.mutable, at: 0)).array()
    }

    private func published() throws -> StatisticsFile? { try content(store.files).flatMap { StatisticsFile($0) } }

    @Test func newFiguresArePublishedAfterEachInterval() throws {
        let ns = try store.namespace("n")
        var publisher = StatisticsPublisher(store.engine.core)
        store.time.advance(milliseconds: 999)
        publisher.publishIfDue()
        #expect(try content(store.files) == nil, "a store that is soon closed makes no file")
        store.time.advance(milliseconds: 1)
        publisher.publishIfDue()
        let first = try #require(try published())
        #expect(first["openedAt"] == 1_700_000_000_000 && first["at"] == 1_700_000_001_000)
        store.time.advance(milliseconds: 5000)
        publisher.publishIfDue()
        #expect(try published()?["at"] == first["at"], "nothing has changed")
        let snapshot = store.engine.snapshot()
        try store.put("k", "v", in: ns)
        store.time.advance(milliseconds: 1000)
        publisher.publishIfDue()
        #expect(try published()?["at"] == 1_700_000_007_000)
        #expect(try published()?["oldestSnapshotAt"] == 1_700_000_006_000)
        store.time.advance(milliseconds: 60_000)
        publisher.publishIfDue()
        #expect(try published()?["at"] == 1_700_000_007_000, "a snapshot that grows older is no change")
        withExtendedLifetime(snapshot) {}
        publisher.end()
        #expect(try content(store.files) == [])
        try store.engine.close()
    }

    @Test func theDebtOfCompactionIsPublished() throws {
        var statistics = store.engine.statistics
        statistics.compactionDebtBytes = 7 << 40
        #expect(StatisticsFile(statistics)["compactionDebtBytes"] == 7 << 40)
        try store.engine.close()
    }

    @Test func publishingIsTriedAgainAfterAFullDisk() throws {
        let ns = try store.namespace("n")
        var publisher = StatisticsPublisher(store.engine.core)
        for fault in [FaultRule.Effect.error(28), .shortWrite(keeping: 40, error: 28)] {
            store.files.inject(FaultRule(on: [.write], path: "*STATISTICS", when: .match(1), fault))
            try store.put("k", "v", in: ns)
            store.time.advance(milliseconds: 1000)
            publisher.publishIfDue()
            #expect(try store.get("k", in: ns) == "v")
            // Nothing changes meanwhile.
            store.time.advance(milliseconds: 1000)
            publisher.publishIfDue()
            #expect(try published()?["at"] == store.time.wallMilliseconds)
        }
        #expect(store.files.faultsFired.count == 2 && store.engine.statistics.backgroundFailures == 0)
        publisher.end()
        try store.engine.close()
    }

    @Test func anOpeningAfterAKillHasTheLock() throws {
        var publisher = StatisticsPublisher(store.engine.core)
        store.time.advance(milliseconds: 1000)
        publisher.publishIfDue()
        let left = store.files.crashClone(.processKill)
        #expect(try content(left)?.isEmpty == false)
        let engine = try TestStore.open(left, store.options)
        store.time.advance(milliseconds: 4000)
        var again = StatisticsPublisher(engine.core)
        store.time.advance(milliseconds: 1000)
        again.publishIfDue()
        #expect(try content(left).flatMap { StatisticsFile($0) }?["openedAt"] == 1_700_000_005_000)
        again.end()
        publisher.end()
        try engine.close()
        try store.engine.close()
    }

    @Test func nothingIsPublishedIfTheOptionSaysSo() throws {
        let quiet = try TestStore { $0.statisticsInterval = nil }
        var publisher = StatisticsPublisher(quiet.engine.core)
        quiet.time.advance(milliseconds: 100_000)
        publisher.publishIfDue()
        publisher.end()
        #expect(try content(quiet.files) == nil)
        try quiet.engine.close()
    }
}
