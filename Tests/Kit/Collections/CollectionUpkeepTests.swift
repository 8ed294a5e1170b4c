import Foundation
import Shale
import ShaleBase
import ShaleCollections
import ShaleEngine
import ShaleMaintenance
import ShalePlatform
import TestSupport
import Testing

/// Collections beside compaction, purges, changes of the schema, backups, dumps and users.
@Suite struct CollectionUpkeepTests {
    private let fixture: CollectionFixture

    init() throws { fixture = try CollectionFixture { $0.engine.memtableBytes = 64 << 10 } }

    private static func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.path + "/shale-upkeep-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: folder) } }
        try body(folder)
    }

    @Test func queriesBesideCompactionsPurgesAndWritersFindEachRecordOnce() throws {
        let people = try fixture.people()
        let count = 100
        try people.insert(contentsOf: (0..<count).map(Person.numbered))
        let store = fixture.store
        let problems = Locked<[String]>([])
        try ParallelWork.run(5, threads: 5, poll: {}) { (worker, _) throws(StorageError) in
            for round in 0..<40 {
                switch worker {
                case 0: try store.engine.compact()
                case 1:
                    let extra = Person(id: 1000 + round, name: "purgeable", age: -1)
                    try people.insert(extra, options: .purgeable)
                    try store.purgeNow(.subtree(people.namespace))
                case 2:
                    let ids = try people.query(#Predicate { $0.age >= 0 }).records().map(\.id)
                    if ids.sorted() != Array(0..<count) { problems.withLock { $0.append("found \(ids)") } }
                    let counted = try people.query(#Predicate { $0.age >= 0 }).count()
                    if counted != count { problems.withLock { $0.append("counted \(counted)") } }
                default:
                    try people.modify(RecordKey((round * 7 + worker) % count)) { $0.age = ($0.age + 31) % 100 }
                }
            }
        }
        #expect(problems.withLock { $0 }.isEmpty)
        let report = try people.verify()
        #expect(report.isSound && report.staleEntries == 0)
    }

    @Test func queriesAndWritersGoOnWhileIndexesAreRebuilt() throws {
        let people = try fixture.people()
        let count = 100
        try people.insert(contentsOf: (0..<count).map(Person.numbered))
        let problems = Locked<[String]>([])
        try ParallelWork.run(4, threads: 4, poll: {}) { (worker, _) throws(StorageError) in
            for round in 0..<30 {
                switch worker {
                case 0: try people.rebuildIndexes()
                case 1:
                    let ids = try people.query(#Predicate { $0.age >= 0 }).records().map(\.id)
                    if ids.sorted() != Array(0..<count) { problems.withLock { $0.append("found \(ids)") } }
                case 2:
                    let counted = try people.query(#Predicate { $0.city == "Lund" || $0.city == "Oslo" }).count()
                    if counted != count { problems.withLock { $0.append("counted \(counted)") } }
                default:
                    try people.modify(RecordKey(round * 3)) { $0.age = ($0.age + 31) % 100 }
                    try people.query(#Predicate { $0.age == 3 }).modify { $0.age = 4 }
                }
            }
        }
        #expect(problems.withLock { $0 }.isEmpty)
        #expect(try people.verify().isSound)
    }

    @Test func aQueryContinuesWithoutAnIndexThatIsDroppedMeanwhile() throws {
        let people = try fixture.filled(300)
        let query = people.query(#Predicate { $0.age >= 50 }).ordered(by: .ascending(\.age), .descending(\.name))
        let wanted = try query.records().map(\.id)
        var seen: [Int] = []
        try query.forEach { (_, person) throws(StorageError) in
            seen.append(person.id)
            if seen.count == 10 { try people.rebuildIndexes() }
        }
        #expect(seen == wanted)
    }

    /// A record that runs a closure when it is decoded.
    private struct Hooked: Codable, Sendable {
        static let hook = Locked<(@Sendable () throws -> Void)?>(nil)

        var id: Int
        var name: String

        init(id: Int, name: String) { (self.id, self.name) = (id, name) }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            name = try container.decode(String.self, forKey: .name)
            let hook = Hooked.hook.withLock { (hook) in
                defer { hook = nil }
                return hook
            }
            try hook?()
        }
    }

    @Test func staleEntriesAreRemovedBesideAChangeOfTheSchema() throws {
        let schema = RecordSchema<Hooked>(
            key: \.id, fields: [RecordField("id", \.id), RecordField("name", \.name)],
            indexes: [RecordIndex("a", .ascending(\.name)), RecordIndex("b", .descending(\.name))])
        let items = try fixture.store.common.collection(schema)
        try items.insert(contentsOf: (0..<10).map { Hooked(id: $0, name: "\($0)") })
        // The search has read an entry of the first index when both are dropped.
        Hooked.hook.withLock { $0 = { try items.rebuildIndexes() } }
        #expect(try items.removeStaleEntries() == 0)
        #expect(Hooked.hook.withLock { $0 == nil })
        #expect(try items.verify().isSound)
    }

    @Test func aBackupBesideAWriterHasTheIndexesOfItsMoment() throws {
        try Self.withFolder { folder in
            let store = try Store(at: folder + "/store")
            let people = try store.common.collection(Person.schema)
            try people.insert(contentsOf: (0..<500).map(Person.numbered))
            try ParallelWork.run(2, threads: 2, poll: {}) { (worker, _) throws(StorageError) in
                for round in 0..<6 {
                    if worker == 0 {
                        try Maintenance.backUp(store.engine, to: folder + "/backups")
                    } else {
                        for id in 0..<50 { try people.modify(RecordKey(id)) { $0.age = 100 * round + id } }
                        try people.query(#Predicate { $0.id >= 490 }).delete()
                        try people.insert(contentsOf: (490..<500).map(Person.numbered))
                    }
                }
            }
            try store.close()
            for backup in try Maintenance.backups(in: folder + "/backups") {
                let target = folder + "/restored-\(backup.number)"
                try Maintenance.restore(from: folder + "/backups", number: backup.number, into: target)
                let restored = try Store(at: target)
                let people = try restored.common.collection(Person.schema)
                let report = try people.verify()
                #expect(report.isSound && report.staleEntries == 0 && report.entries == 4 * report.records)
                let lund = people.query(#Predicate { $0.city == "Lund" })
                #expect(try lund.count() == lund.records().count)
                try restored.close()
            }
        }
    }

    @Test func theCollectionOfAUserIsDumpedAndLoadedForAnotherUser() throws {
        let own = try fixture.store.user("u").collection(Person.schema)
        try own.insert(contentsOf: (0..<100).map(Person.numbered))
        var dump: [UInt8] = []
        try Maintenance.dump(
            fixture.store.user("u"), to: { (lines) throws(StorageError) in dump.append(lines) })
        var rest = dump
        try Maintenance.load(into: fixture.store.user("v")) { () throws(StorageError) in
            defer { rest = [] }
            return rest
        }
        let other = try fixture.store.user("v").collection(Person.schema)
        #expect(try other.query().records() == (0..<100).map(Person.numbered))
        #expect(try other.query(#Predicate { $0.city == "Oslo" }).explain().source == .index)
        #expect(try other.query(#Predicate { $0.city == "Oslo" }).count() == 34)
        let taken = violation { () throws(StorageError) in
            try other.insert(Person(id: 900, name: "n", email: "e8@example.org", age: 1))
        }
        #expect(taken?.field == "email")
        let report = try other.verify()
        #expect(report.isSound && report.staleEntries == 0)
        try fixture.store.removeUser("u")
        #expect(try other.count() == 100)
    }

    @Test func aRepairedCollectionIsMendedByRebuildingItsIndexes() throws {
        try Self.withFolder { folder in
            var options = Store.Options()
            options.engine.memtableBytes = 64 << 10
            let store = try Store(at: folder + "/store", options: options)
            let people = try store.common.collection(Person.schema)
            for start in stride(from: 0, to: 6000, by: 500) {
                try people.insert(contentsOf: (start..<(start + 500)).map(Person.numbered))
            }
            try store.engine.compact()
            try store.close()
            // Damage in the middle of the largest segment.
            let files = try FileManager.default.subpathsOfDirectory(atPath: folder + "/store").map {
                folder + "/store/" + $0
            }
            let largest = try #require(try files.max { try size($0) < size($1) })
            let handle = try #require(FileHandle(forUpdatingAtPath: largest))
            try handle.seek(toOffset: UInt64(try size(largest) / 2))
            try handle.write(contentsOf: Data(repeating: 0x55, count: 256))
            try handle.close()
            _ = try Maintenance.repair(storeAt: folder + "/store", into: folder + "/repaired")
            let repaired = try Store(at: folder + "/repaired")
            let again = try repaired.common.collection(Person.schema)
            try again.rebuildIndexes()
            let report = try again.verify()
            #expect(report.isSound && report.staleEntries == 0 && report.entries == 4 * report.records)
            for city in ["Lund", "Oslo"] {
                let query = again.query(#Predicate { $0.city == city })
                #expect(try query.explain().source == .index)
                #expect(try query.count() == again.query().records().count { $0.city == city })
            }
            try repaired.close()
        }
    }

    private func size(_ path: String) throws -> Int {
        (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }
}
