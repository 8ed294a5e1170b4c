import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import Shale

/// Without free space reads work, writes fail with a typed error, and a purge still runs and returns space.
@Suite struct FullDiskPurgeTests {
    @Test func aPurgeMakesRoomOnAFullDisk() throws {
        let files = SimulatedFileSystem(seed: 1, quota: 24 << 20)
        var options = StoreOptions()
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
                try cache.set(random.bytes(1000), forKey: "\(index)", .purgeable)
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
