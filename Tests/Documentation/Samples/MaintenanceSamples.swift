import ShaleMaintenance
import Testing

func backUp(_ store: Store, to directory: String) throws {
    let backup = try Maintenance.backUp(store.engine, to: directory)  // copies what earlier backups lack
    print("backup \(backup.number) has \(backup.entries) entries")
    try Maintenance.pruneBackups(in: directory, keeping: 7)
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
}
