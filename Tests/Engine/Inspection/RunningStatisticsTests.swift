import Foundation
import ShaleBase
import ShaleEngine
import ShaleInspection
import ShalePlatform
import TestSupport
import Testing

@testable import ShaleManifest

/// The statistics that a running store publishes.
@Suite struct RunningStatisticsTests {
    private func open(_ store: InspectedStore) throws -> Engine {
        var options = Engine.Options()
        options.statisticsInterval = .milliseconds(100)
        return try Engine.open(at: store.path, options: options)
    }

    private func wait(
        _ inspector: StoreInspector, until isRight: (RunningStatistics) -> Bool
    ) throws -> RunningStatistics {
        var found: RunningStatistics?
        let isFound = try eventually {
            found = try inspector.runningStatistics()
            return found.map(isRight) ?? false
        }
        try #require(isFound)
        return try #require(found)
    }

    @Test func theStatisticsShowTheOwnersCache() throws {
        let store = InspectedStore()
        let engine = try open(store)
        defer { store.remove() }
        let id = try engine.createNamespace(named: Array("n".utf8))
        let inspector = try StoreInspector(at: store.path)
        try engine.write { (batch) throws(StorageError) in
            for number in 0..<100 { try batch.put([1, 2, 3], forKey: Array("\(number)".utf8), in: id) }
        }
        try engine.flush()
        let before = try wait(inspector) { $0.operations == 100 }
        #expect(before.compactionDebtBytes == engine.statistics.compactionDebtBytes)
        #expect(before.processID == UInt64(getpid()) && before.cacheHitRate() == nil)
        for _ in 0..<10 { _ = try unsafe engine.value(forKey: Array("7".utf8).span.bytes, in: id) }
        let after = try wait(inspector) { $0.cacheHits + $0.cacheMisses >= 10 }
        #expect(after.cacheHits == engine.statistics.cacheHits && after.cacheMisses == 1)
        #expect(after.cacheBytes > 0 && after.cacheCapacityBytes > after.cacheBytes)
        #expect(after.cacheCapacityBytes < after.memoryBudget)
        #expect(after.cacheHitRate(since: before) == after.cacheHitRate())
        #expect((after.writeAmplification ?? 0) > 1)
        #expect(after.openedMilliseconds <= after.atMilliseconds)
        // Reading consumes nothing. Background work may have updated the statistics meanwhile.
        let again = try #require(try inspector.runningStatistics())
        #expect(again.cacheHits == after.cacheHits && again.atMilliseconds >= after.atMilliseconds)
        try engine.close()
        #expect(try inspector.runningStatistics() == nil)
        let reopened = try open(store)
        #expect(try wait(inspector) { $0.operations == 0 }.cacheHits == 0)
        try reopened.close()
    }

    @Test func aStoreWithoutAnOwnerHasNoStatistics() throws {
        let store = InspectedStore()
        try store.open().close()
        defer { store.remove() }
        let inspector = try StoreInspector(at: store.path)
        #expect(try inspector.runningStatistics() == nil)
        // The file that a killed process left, without its lock.
        var left = StatisticsFile()
        left.values = [("pid", 1), ("shaleStatistics", 1), ("cacheBytes", 5)]
        let path = store.path + "/STATISTICS"
        try Data(left.encoded()).write(to: URL(fileURLWithPath: path))
        #expect(try inspector.runningStatistics() == nil)
        let root = try PosixFileSystem().openDirectory(store.path, create: false)
        let held = try root.lock("STATISTICS")
        // The holder has published its process id and nothing else yet.
        held.publishHolder()
        #expect(try inspector.runningStatistics() == nil)
        let text = OwnedBytes(left.encoded())
        try held.publish(text.bytes)
        withExtendedLifetime(text) {}
        #expect(try inspector.runningStatistics()?.cacheBytes == 5)
        // A name that the version of the holder does not publish.
        #expect(try inspector.runningStatistics()?.compactionDebtBytes == nil)
        held.release()
    }

    @Test func statisticsThatAreNotWholeAreIgnored() throws {
        var file = StatisticsFile()
        file.values = [("pid", 1), ("shaleStatistics", 1), ("cacheBytes", -5)]
        let bytes = file.encoded()
        #expect(StatisticsFile(bytes) == file)
        for cut in 0..<bytes.count { #expect(StatisticsFile(Array(bytes.prefix(cut))) == nil) }
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(StatisticsFile(changed) == nil, "\(index)")
        }
        file.values[1].value = 2
        #expect(StatisticsFile(file.encoded()) == nil)
    }
}
