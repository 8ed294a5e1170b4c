import Foundation
import ShaleMaintenance
import Testing

#if Encryption
    import ShaleEncryption
#endif

func backUp(_ store: Store, to directory: String) throws {
    let backup = try Maintenance.backUp(store.engine, to: directory)  // copies what earlier backups lack
    print("backup \(backup.number) has \(backup.entries) entries")
    try Maintenance.pruneBackups(in: directory, keeping: 7)
}

func follow(storeAt path: String, to directory: String, each seconds: AsyncStream<Void>) async throws {
    var options = Store.Options()
    options.engine.mode = .readOnly
    let follower = try BackupFollower(Store(at: path, options: options).engine, to: directory)
    for await _ in seconds {
        _ = try follower.step()  // ships what is new, or makes a backup
    }
    try follower.close()
}

func send(
    _ store: Store, _ encryption: StoreEncryption, to write: (RawSpan) throws(StorageError) -> Void
) throws {
    var options = BackupStreamOptions()
    options.encryption = encryption
    try Maintenance.backUp(store.engine, options: options, to: write)
}

@Suite struct MaintenanceSamples {
    @Test func aStoreInUseIsBackedUp() throws {
        let place = try TemporaryPlace()
        defer { place.remove() }
        let store = try Store(at: place.path + "/store")
        try store.common["orders"].set("tea", forKey: "1")
        try backUp(store, to: place.path + "/backups")
        try store.common["orders"].set("salt", forKey: "1")
        try Maintenance.restore(from: place.path + "/backups", into: place.path + "/restored")
        let restored = try Store(at: place.path + "/restored")
        #expect(try restored.common["orders"].string(forKey: "1") == "tea")
        try restored.close()
        try store.close()
    }

    @Test func aStoreInUseIsFollowed() async throws {
        let place = try TemporaryPlace()
        defer { place.remove() }
        let store = try Store(at: place.path + "/store")
        try store.common["orders"].set("tea", forKey: "1")
        let (path, backups) = (place.path + "/store", place.path + "/backups")
        let (seconds, clock) = AsyncStream.makeStream(of: Void.self)
        for _ in 0..<3 { clock.yield() }
        clock.finish()
        try await follow(storeAt: path, to: backups, each: seconds)
        try await Maintenance.restore(from: backups, at: Date(), into: place.path + "/restored")
        let restored = try Store(at: place.path + "/restored")
        #expect(try restored.common["orders"].string(forKey: "1") == "tea")
        try await restored.close()
        try await store.close()
    }

    #if Encryption
        @Test func aBackupIsSent() throws {
            let place = try TemporaryPlace()
            defer { place.remove() }
            let store = try Store(at: place.path + "/store")
            try store.common["orders"].set("tea", forKey: "1")
            let encryption = StoreEncryption.aes256GCM(.key(try SecretKey()))
            var stream: [UInt8] = []
            try send(store, encryption) { piece in
                unsafe piece.withUnsafeBytes { unsafe stream.append(contentsOf: $0) }
            }
            try store.close()
            var options = BackupStreamOptions()
            options.encryption = encryption
            try Maintenance.restore(into: place.path + "/restored", options: options) {
                defer { stream = [] }
                return stream
            }
            let restored = try Store(at: place.path + "/restored")
            #expect(try restored.common["orders"].string(forKey: "1") == "tea")
            try restored.close()
        }
    #endif

    @Test func aNamespaceIsLoadedForAnotherUser() throws {
        let store = try Store.inMemory()
        try store.user("ann")["drafts"].child("2026").set("tea", forKey: "1")
        let drafts = store.user("ann")["drafts"]
        var lines: [UInt8] = []
        try Maintenance.dump(drafts, options: NamespaceDumpOptions(includesSubtree: true)) { piece in
            unsafe piece.withUnsafeBytes { unsafe lines.append(contentsOf: $0) }
        }
        var rest: [UInt8]? = lines
        try Maintenance.load(into: store.user("ben")["drafts from ann"]) {
            defer { rest = nil }
            return rest ?? []
        }
        #expect(try store.user("ben")["drafts from ann"].child("2026").string(forKey: "1") == "tea")
        try store.close()
    }
}
