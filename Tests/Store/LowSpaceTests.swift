import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import Shale

/// Observers of the free space are notified in time, and only once for each change.
@Suite struct LowSpaceTests {
    private static func store(_ files: SimulatedFileSystem) throws -> Store {
        var options = Store.Options()
        options.engine.time = ManualTime()
        options.engine.syncInterval = nil
        return try Store(
            at: "/store", options: options, environment: EngineEnvironment(fileSystem: files, scheduling: .inline))
    }

    @Test func crossingEachLimitIsReportedOnce() async throws {
        let files = SimulatedFileSystem(seed: 1, quota: 1 << 30)
        let store = try Self.store(files)
        let used = (1 << 30) - Int(try store.checkSpace())
        func leave(_ bytes: Int) throws {
            files.setQuota(used + bytes)
            #expect(try store.checkSpace() == UInt64(bytes))
        }
        let events = try store.spaceEvents(below: 100 << 20, recoveredAt: 150 << 20)
        let narrow = try store.spaceEvents(below: 80 << 20)
        try leave(100 << 20)
        try leave((100 << 20) - 1)
        try leave(50 << 20)
        try leave(149 << 20)
        try leave(90 << 20)
        try leave(150 << 20)
        try leave(10 << 20)
        // An observer that begins while space is low is notified at once.
        let late = try store.spaceEvents(below: 20 << 20)
        try await store.close()
        func all(_ stream: AsyncStream<Store.SpaceEvent>) async -> [Store.SpaceEvent] {
            var seen: [Store.SpaceEvent] = []
            for await event in stream { seen.append(event) }
            return seen
        }
        #expect(
            await all(events) == [
                .low(freeBytes: (100 << 20) - 1), .recovered(freeBytes: 150 << 20), .low(freeBytes: 10 << 20),
            ])
        #expect(
            await all(narrow) == [
                .low(freeBytes: 50 << 20), .recovered(freeBytes: 149 << 20), .low(freeBytes: 10 << 20),
            ])
        #expect(await all(late) == [.low(freeBytes: 10 << 20)])
    }

    @Test func limitsThatContradictAreRefused() throws {
        let store = try Self.store(SimulatedFileSystem(seed: 1))
        #expect(code { () throws(StorageError) in try store.spaceEvents(below: 2, recoveredAt: 1) } == .invalidArgument)
        _ = try store.spaceEvents(below: .max)
        try store.close()
        #expect(code { () throws(StorageError) in try store.spaceEvents(below: 1) } == .closed)
        #expect(code { () throws(StorageError) in try store.checkSpace() } == .closed)
    }
}

/// Without free space reads work, writes fail with a typed error, and a purge still runs and returns space.
@Suite struct FullDiskPurgeTests {
    @Test func aPurgeMakesRoomOnAFullDisk() throws {
        let files = SimulatedFileSystem(seed: 1, quota: 24 << 20)
        var options = Store.Options()
        let time = ManualTime()
        options.engine.time = time
        options.engine.syncInterval = nil
        options.engine.memtableBytes = 256 << 10
        options.engine.memoryBudget = 8 << 20
        options.engine.segmentBytes = 256 << 10
        options.engine.upperSegmentBytes = 64 << 10
        let store = try Store(
            at: "/store", options: options, environment: EngineEnvironment(fileSystem: files, scheduling: .inline))
        let cache = store.common["cache"]
        try store.common["settings"].set("kept", forKey: "k")
        let random = SeededRandom(seed: 5)
        func put(_ index: Int) -> StorageError.Code? {
            code { () throws(StorageError) in
                try cache.set(random.bytes(1000), forKey: "\(index)", options: .purgeable)
            }
        }
        var written = 0
        var refusal: StorageError.Code?
        while refusal == nil, written < 40_000 {
            refusal = put(written)
            if refusal == nil { written += 1 }
        }
        #expect(refusal == .noSpace)
        // No byte is free. Writes that fit into the reserved space of the log still succeed.
        files.setQuota(files.usedBytes)
        refusal = nil
        for _ in 0..<2000 where refusal == nil {
            refusal = put(written)
            if refusal == nil { written += 1 }
        }
        #expect(refusal == .noSpace)
        #expect(put(written) == .noSpace)
        #expect(try cache.count() == written)
        #expect(try store.common["settings"].string(forKey: "k") == "kept")
        #expect(try store.purgeNow().entries >= UInt64(written))
        #expect(try cache.count() == 0)
        let used = files.usedBytes
        files.setQuota(used)
        #expect(try store.purge().returnedBytes > 0)
        #expect(files.usedBytes < used / 2)
        // The engine retries work that failed for lack of space after a delay.
        time.advance(milliseconds: 120_000)
        for index in 0..<100 { #expect(put(index) == nil) }
        #expect(try cache.count() == 100)
        try store.close()
    }
}
