import Shale
import ShalePlatform
import TestSupport
import Testing

/// Passes beside writers: no write is lost, and no value is migrated twice.
@Suite struct ValueMigrationRaceTests {
    private static let keys = 24
    private static let rounds = 60

    /// Writes and reads the keys of one writer, as earlier builds and as the current one. Returns what differs.
    private static func write(_ namespace: Store.Namespace, _ writer: Int) throws -> [String] {
        var differences: [String] = []
        for round in 1...rounds {
            for index in 0..<keys {
                let key = "\(writer)-\(index)"
                switch (round + index) % 3 {
                case 0: try namespace.set(ItemV1(name: key, count: round), forKey: key)
                case 1: try namespace.set(ItemV2(name: key, tenths: round * 10), forKey: key, using: Item.second)
                default: try namespace.set(Item.migrated(key, round), forKey: key, using: Item.codec)
                }
                let found = try namespace.value(forKey: key, using: Item.codec)
                if found != Item.migrated(key, round) { differences.append("\(key) in round \(round)") }
            }
        }
        return differences
    }

    @Test func passesBesideWritersLoseNothing() throws {
        let fixture = try StoreFixture(isSmall: true)
        let namespace = fixture["n"]
        let running = Locked(3)
        let differences = Locked<[String]>([])
        let threads = try (0..<3).map { writer in
            try WorkerThread.start(name: "test") {
                do {
                    let found = try Self.write(namespace, writer)
                    differences.withLock { $0 += found }
                } catch {
                    differences.withLock { $0.append("\(error)") }
                }
                running.withLock { $0 -= 1 }
            }
        }
        var migrated = 0
        while running.withLock({ $0 }) > 0 {
            let report = try namespace.migrateValues(in: KeyRange.all, using: Item.codec)
            #expect(report.failed == 0 && report.newer == 0)
            migrated += report.migrated
        }
        for thread in threads { thread.join() }
        #expect(differences.withLock { $0 } == [])
        migrated += try namespace.migrateValues(in: KeyRange.all, using: Item.codec).migrated
        #expect(migrated > 0)
        for writer in 0..<3 {
            for index in 0..<Self.keys {
                let key = "\(writer)-\(index)"
                #expect(try namespace.value(forKey: key, using: Item.codec) == Item.migrated(key, Self.rounds))
                #expect(try namespace.storedVersion(forKey: key) == 3)
            }
        }
    }

    @Test func aWriteDuringAMigrationIsKept() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        for key in ["a", "b", "c"] { try namespace.set(ItemV1(name: key, count: 1), forKey: key) }
        // The migration of "b" runs between the read of its entry and the commit.
        let interrupted = Item.first.then(ItemV2.self) { ItemV2(name: $0.name, tenths: $0.count * 10) }
            .then(Item.self) { item in
                if item.name == "b" {
                    try namespace.set(Item.migrated("b", 9), forKey: "b", using: Item.codec)
                    try namespace.remove("c")
                }
                return Item(name: item.name, tenths: item.tenths + 1, tags: ["old"])
            }
        let report = try namespace.migrateValues(in: KeyRange.all, using: interrupted)
        #expect(report.migrated == 1 && report.changed == 2 && !report.isComplete)
        #expect(try namespace.value(forKey: "a", using: Item.codec) == Item.migrated("a", 1))
        #expect(try namespace.value(forKey: "b", using: Item.codec) == Item.migrated("b", 9))
        #expect(try !namespace.contains("c"))
        #expect(try namespace.migrateValues(in: KeyRange.all, using: Item.codec).isComplete)
    }
}
