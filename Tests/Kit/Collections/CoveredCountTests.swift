import Foundation
import Shale
import ShaleBase
import ShaleCollections
import ShaleMaintenance
import TestSupport
import Testing

/// Counts from an index are right, whatever removed records without their entries: collections.md, section 3, "Purge,
/// expiry, policies, truncation and version scope work entry by entry".
@Suite struct CoveredCountTests {
    private let fixture: CollectionFixture

    init() throws { fixture = try CollectionFixture() }

    /// A collection of 20 purgeable people in Lund.
    private func filled() throws -> RecordCollection<Person> {
        let people = try fixture.people()
        try people.insert(contentsOf: (0..<20).map { Person(id: $0, name: "n", age: $0 % 5) }, options: .purgeable)
        return people
    }

    private func lund(_ people: RecordCollection<Person>) throws -> Int {
        try people.query(#Predicate { $0.city == "Lund" }).count()
    }

    /// True if a count reads no records.
    private func isCovered(_ people: RecordCollection<Person>) throws -> Bool {
        let key = try RecordKey(19)
        let old = try people.find(key)
        // A record that no longer decodes counts only if it is not read.
        try people.namespace.set("damaged", forKey: key.bytes, options: .purgeable)
        defer { #expect(throws: Never.self) { if let old { try people.put(old, options: .purgeable) } } }
        return try lund(people) == people.count()
    }

    private func applyPolicy() throws {
        let people = fixture.store.common["collections"].child("Person")
        var options = NamespaceOptions()
        options.purgePolicy = .age(.seconds(1))
        try people.setOptions(options)
        fixture.time.advance(milliseconds: 2000)
        try fixture.store.purge(by: .policies)
        try people.setOptions(NamespaceOptions())
    }

    @Test func aPolicyThatCameAndWentWhileTheCollectionWasClosedIsNoticed() throws {
        _ = try filled()
        try fixture.reopen()
        try applyPolicy()
        try fixture.reopen()
        #expect(try lund(fixture.people()) == 0)
    }

    @Test func aPolicyThatComesAndGoesBesideAnOpenCollectionIsNoticed() throws {
        let people = try filled()
        #expect(try lund(people) == 20)
        try applyPolicy()
        #expect(try lund(people) == 0)
        try people.insert(Person(id: 50, name: "a", age: 1))
        #expect(try lund(people) == 1)
    }

    @Test func theFirstCountOfANewCollectionReadsNoMoreThanLaterOnes() throws {
        let people = try fixture.filled(2000)
        try fixture.store.engine.flush()
        let oslo = people.query(#Predicate { $0.city == "Oslo" })
        for id in stride(from: 0, to: 2000, by: 4) { try people.modify(RecordKey(id)) { $0.city = "Malmö" } }
        try fixture.store.engine.flush()
        func blocksRead() throws -> UInt64 {
            let before = fixture.store.engine.statistics
            #expect(try oslo.count() == 500)
            let after = fixture.store.engine.statistics
            return after.cacheHits + after.cacheMisses - before.cacheHits - before.cacheMisses
        }
        let first = try blocksRead()
        #expect(try first == blocksRead())
    }

    @Test func aPolicyThatRemovedNothingCostsNothing() throws {
        let people = try filled()
        var options = NamespaceOptions()
        options.purgePolicy = .age(.seconds(100_000))
        try people.namespace.setOptions(options)
        try fixture.store.purge(by: .policies)
        #expect(try isCovered(people))
    }

    @Test func recordsThatAreDroppedAloneAreNotCounted() throws {
        let people = try filled()
        #expect(try lund(people) == 20)
        try people.namespace.drop()
        #expect(try lund(people) == 0)
        try people.insert(Person(id: 50, name: "a", age: 1))
        #expect(try lund(people) == 1)
        try fixture.reopen()
        #expect(try lund(fixture.people()) == 1)
    }

    @Test func aCountIsFastAgainOnceStaleEntriesAreRemoved() throws {
        let people = try filled()
        try people.namespace.truncate()
        try people.insert(contentsOf: (0..<20).map { Person(id: $0, name: "o", age: $0 % 5) }, options: .purgeable)
        #expect(try lund(people) == 20)
        #expect(try !isCovered(people))
        #expect(try people.removeStaleEntries() > 0)
        #expect(try isCovered(people))
        // A purge of everything leaves nothing behind.
        try fixture.store.purge()
        #expect(try lund(people) == 0)
        try people.insert(contentsOf: (0..<20).map { Person(id: $0, name: "o", age: 1) }, options: .purgeable)
        #expect(try isCovered(people))
    }

    @Test func entriesOfARecordThatNoLongerDecodesAreNotCountedAfterItsDeletion() throws {
        let people = try filled()
        #expect(try lund(people) == 20)
        try people.namespace.set("damaged", forKey: RecordKey(3).bytes)
        try people.delete(RecordKey(3))
        #expect(try lund(people) == 19)
        try people.namespace.set("damaged", forKey: RecordKey(4).bytes)
        try people.put(Person(id: 4, name: "new", age: 90, city: "Oslo"))
        #expect(try lund(people) == 18)
    }

    @Test func anIndexBuiltOverRecordsThatCannotBeReadIsNotTrusted() throws {
        let fields = Person.schema.fields
        let plain = try fixture.store.common.collection(RecordSchema<Person>("p", key: \.id, fields: fields))
        try plain.insert(contentsOf: (0..<10).map { Person(id: $0, name: "n", age: $0) })
        try plain.namespace.set("damaged", forKey: RecordKey(3).bytes)
        let index = RecordIndex("byCity", .ascending(\Person.city))
        let people = try fixture.store.common.collection(
            RecordSchema<Person>("p", key: \.id, fields: fields, indexes: [index]), onDifference: .adopt)
        #expect(try people.migrate().failures.count == 1)
        // The index lacks a record. One stale entry makes its number equal to that of the records.
        try people.namespace.remove(RecordKey(5).bytes)
        #expect(try lund(people) == 8)
    }

    @Test func aRepairedOrLoadedStoreCountsItsRecords() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/shale-counts-\(UUID().uuidString)"
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: folder) } }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var store = try Store(at: folder + "/a")
        let people = try store.common.collection(Person.schema)
        try people.insert(contentsOf: (0..<20).map { Person(id: $0, name: "n", age: $0 % 5) })
        // Entries without records, and watermarks that no dump contains.
        try people.namespace.truncate()
        try people.insert(contentsOf: (100..<103).map { Person(id: $0, name: "n", age: $0 % 5) })
        try store.close()
        var dump: [UInt8] = []
        _ = try Maintenance.dump(
            storeAt: folder + "/a", to: { (lines) throws(StorageError) in dump.append(lines) })
        var rest = dump
        _ = try Maintenance.load(into: folder + "/loaded") { () throws(StorageError) in
            defer { rest = [] }
            return rest
        }
        _ = try Maintenance.repair(storeAt: folder + "/a", into: folder + "/repaired")
        for name in ["loaded", "repaired"] {
            store = try Store(at: folder + "/" + name)
            let people = try store.common.collection(Person.schema)
            #expect(try lund(people) == 3, "\(name)")
            #expect(try people.query(#Predicate { $0.city == "Lund" }).records().count == 3, "\(name)")
            // The sequences of a loaded store begin again, below those of the store that was dumped.
            try people.namespace.truncate()
            #expect(try lund(people) == 0, "\(name)")
            try people.rebuildIndexes()
            #expect(try people.verify().entries == 0, "\(name)")
            try store.close()
        }
    }
}
