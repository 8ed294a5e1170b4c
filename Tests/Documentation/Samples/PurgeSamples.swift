import Shale
import Testing

@Suite struct PurgeSamples {
    @Test func markedEntriesArePurged() throws {
        let place = try TemporaryPlace()
        defer { place.remove() }
        let store = try Store(at: place.path + "/store")
        let picture: [UInt8] = [0x89, 0x50]
        let thumbnails = store.common["thumbnails"]
        try thumbnails.setOptions(NamespaceOptions(isPurgeable: true, timeToLive: .seconds(30 * 86_400)))
        try thumbnails.set(picture, forKey: "cat.png")  // purgeable, and gone after 30 days
        try thumbnails.set(picture, forKey: "logo.png", options: [.notPurgeable, .neverExpires])
        try store.common["drafts"].set("Dear Ben", forKey: "letter", options: .purgeable)

        let estimate = try store.purgeDryRun()
        print("a purge would give about \(estimate.returnedBytes) bytes back")

        let report = try store.purge(.namespace(thumbnails)) { step in
            print("\(step.phase): \(Int(step.fraction * 100)) %")  // throwing here cancels
        }
        print("\(report.returnedBytes) bytes are the file system's again")
        #expect(try thumbnails.keys.array() == ["logo.png"])
        #expect(try store.common["drafts"].contains("letter"))

        try store.purgeNow()
        #expect(try !store.common["drafts"].contains("letter"))
        try store.close()
    }

    @Test func aTaskPurges() async throws {
        let place = try TemporaryPlace()
        defer { place.remove() }
        let store = try Store(at: place.path + "/store")
        let task = Task { try await store.purge { print("\(Int($0.fraction * 100)) %") } }
        // task.cancel() ends it at the next step; what was purged by then stays purged.
        let report = try await task.value
        #expect(!report.isEstimate)
        try await store.close()
    }

    @Test func policiesPurge() throws {
        let place = try TemporaryPlace()
        defer { place.remove() }
        let store = try Store(at: place.path + "/store")
        let thumbnails = store.common["thumbnails"]
        var policy = PurgePolicy.age(.seconds(14 * 86_400))
        policy.maximumBytes = 200_000_000
        policy.order = .leastRecentlyUsedFirst
        try thumbnails.setOptions(NamespaceOptions(isPurgeable: true, purgePolicy: policy))
        #expect(try thumbnails.options.purgePolicy == policy)

        let due = try store.purgeDryRun(by: .policies)
        print("\(due.entries) entries are due")
        try store.purge(by: .policies)
        #expect(due.entries == 0)
        try store.close()
    }

    @Test func aCapacityIsEnforcedOnWriting() throws {
        let place = try TemporaryPlace()
        defer { place.remove() }
        let store = try Store(at: place.path + "/store")
        let picture: [UInt8] = [0x89, 0x50]
        let previews = store.common["previews"]
        try previews.setOptions(
            NamespaceOptions(
                isPurgeable: true, purgePolicy: .leastRecentlyUsed(50_000_000, enforcement: .onWrite)))
        try previews.set(picture, forKey: "cat.png")  // the purgeable entries never take more than 50 MB
        #expect(try previews.contains("cat.png"))
        try store.close()
    }

    @Test func lowSpaceIsReported() async throws {
        let place = try TemporaryPlace()
        defer { place.remove() }
        let store = try Store(at: place.path + "/store")
        try purgeWhenSpaceIsLow(store).cancel()
        try await store.close()
    }

    /// The disk here has enough space, so the task waits until it is cancelled.
    private func purgeWhenSpaceIsLow(_ store: Store) throws -> Task<Void, any Error> {
        Task {
            for await case .low(let freeBytes) in try store.spaceEvents(below: 500_000_000) {
                print("\(freeBytes) bytes are left")
                try await store.purge()
            }
        }
    }

    @Test func filesOfTheApplicationAreRemoved() throws {
        let place = try TemporaryPlace()
        defer { place.remove() }
        let store = try Store(at: place.path + "/store")
        let applicationDirectory = place.path
        try store.registerPurgeable(
            [
                PurgeablePath("Caches/*", maximumAge: 7 * 86_400),
                PurgeablePath("Downloads/*.part", maximumBytes: 50_000_000, trimTo: 0.5),
            ], under: applicationDirectory)
        store.registerPurgeable(named: "map tiles") { (request) throws(StorageError) in
            // With request.isDryRun only say what would be done.
            .init(files: 0, returnedBytes: 0)
        }
        #expect(try store.purgeDryRun().outside.count == 3)
        try store.close()
    }
}
