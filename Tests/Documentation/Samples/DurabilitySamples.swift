import Shale
import Testing

@Suite struct DurabilitySamples {
    @Test func theArticleDoesWhatItSays() throws {
        let place = try TemporaryPlace()
        defer { place.remove() }
        let directory = place.path + "/store"
        let backup = place.path + "/backup"
        var options = Store.Options()
        options.engine.durability = .synced  // of writes that don't say; .buffered is the default
        options.engine.syncInterval = .seconds(5)  // of buffered writes; 1 s is the default
        let store = try Store(at: directory, options: options)

        let payments = store.common["payments"]
        try payments.set(1200, forKey: "2026-0001", durability: .synced)
        try payments.set("2026-0001", forKey: "last seen", durability: .buffered)
        try store.sync()  // now the buffered one is durable too

        let recovery = store.recovery
        print("\(recovery.replayedBatches) batches replayed, \(recovery.droppedBytes) torn bytes dropped")

        let health = store.health
        if health.isPoisoned { print("The log failed. Close the store and open it again to write.") }
        if health.durabilityIsReduced { print("This file system refuses the strongest synchronisation.") }
        #expect(health.isGood && recovery.replayedBatches == 0)

        try store.engine.checkpoint(at: backup)
        try store.close()
        let copy = try Store(at: backup)
        #expect(try copy.common["payments"].int(forKey: "2026-0001") == 1200)
        try copy.close()
    }
}
