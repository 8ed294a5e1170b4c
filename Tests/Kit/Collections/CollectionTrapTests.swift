import Shale
import ShaleBase
import ShaleCollections
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The traps of collections.md, section 3, that concern entries and their indexes. `CoveredCountTests`,
/// `CollectionLimitTests`, `EncryptedCollectionTests`, `IndexOrderTests`, `UniqueRaceTests` and `CollectionUpkeepTests`
/// have the others.
@Suite struct CollectionTrapTests {
    private let fixture: CollectionFixture
    private let people: RecordCollection<Person>

    init() throws {
        fixture = try CollectionFixture()
        people = try fixture.people()
    }

    private var lund: RecordQuery<Person> { people.query(#Predicate { $0.city == "Lund" }) }

    @Test func indexEntriesHaveThePurgeabilityAndTheAbsoluteExpiryOfTheirRecord() throws {
        try people.insert(
            Person(id: 1, name: "a", email: "x", age: 1), options: [.purgeable, .expires(after: .seconds(60))])
        fixture.time.advance(milliseconds: 1)
        try people.modify(RecordKey(1)) { $0.age = 2 }
        #expect(try people.verify().isSound)
        #expect(try people.verify().entries == 4)
        fixture.time.advance(milliseconds: 59_998)
        #expect(try lund.count() == 1)
        fixture.time.advance(milliseconds: 1)
        #expect(try lund.count() == 0)
        let report = try people.verify()
        #expect(report.records == 0 && report.entries == 0)
        try people.insert(Person(id: 2, name: "b", email: "x", age: 1))
    }

    @Test func theDefaultsOfTheNamespaceApplyToRecordAndEntries() throws {
        try people.namespace.setOptions(NamespaceOptions(isPurgeable: true, timeToLive: .seconds(10)))
        try people.insert(Person(id: 1, name: "a", email: "x", age: 1))
        #expect(try people.verify().isSound)
        try fixture.store.purge()
        #expect(try lund.records().isEmpty)
        #expect(try people.verify().entries == 0)
        try people.insert(Person(id: 2, name: "a", email: "x", age: 1))
        fixture.time.advance(milliseconds: 10_000)
        #expect(try people.verify().entries == 0)
    }

    @Test func aPurgeTakesPurgeableRecordsWithTheirEntriesOnly() throws {
        try people.insert(Person(id: 1, name: "a", email: "x", age: 1), options: .purgeable)
        try people.insert(Person(id: 2, name: "b", email: "y", age: 1))
        try fixture.store.purge(.subtree(people.namespace))
        #expect(try lund.records().map(\.id) == [2])
        let report = try people.verify()
        #expect(report.isSound && report.staleEntries == 0 && report.entries == 4)
    }

    @Test(arguments: [false, true]) func recordsThatAreErasedAloneAreNotFoundByTheirEntries(_ purges: Bool) throws {
        try people.insert(Person(id: 1, name: "a", email: "x", age: 1), options: purges ? .purgeable : [])
        if purges {
            try fixture.store.purge(.namespace(people.namespace))
        } else {
            try people.namespace.truncate()
        }
        #expect(try lund.records().isEmpty)
        #expect(try lund.count() == 0)
        #expect(try people.find(\.email, "x") == nil)
        #expect(try lund.explain().staleEntries == 1)
        // The claim of a unique value is stale, and is free.
        try people.insert(Person(id: 2, name: "b", email: "x", age: 2))
        #expect(try people.find(\.email, "x")?.id == 2)
        #expect(try lund.count() == 1)
        #expect(try people.verify().staleEntries == 3)
        #expect(try people.removeStaleEntries() == 3)
        let report = try people.verify()
        #expect(report.isSound && report.staleEntries == 0 && report.entries == 4)
    }

    @Test func aStaleEntryOfARecordThatReturnsDoesNotFindItTwice() throws {
        try people.insert(Person(id: 1, name: "a", age: 10))
        try people.namespace.truncate()
        try people.insert(Person(id: 1, name: "a", age: 40))
        #expect(try people.query(#Predicate { $0.age < 50 }).records().map(\.age) == [40])
        #expect(try people.query(#Predicate { $0.age < 50 }).count() == 1)
        #expect(try people.query(#Predicate { $0.age == 10 }).count() == 0)
    }

    @Test func aCapacityPolicyCountsRecordsAndNotIndexEntries() throws {
        var options = NamespaceOptions(isPurgeable: true)
        options.purgePolicy = .capacity(1500, trimTo: 1)
        try people.namespace.setOptions(options)
        for id in 1...5 {
            fixture.time.advance(milliseconds: 10)
            // About 400 bytes as a record, and as much again in the indexes.
            let name = String(repeating: "a", count: 300)
            try people.insert(Person(id: id, name: name, email: "\(id)", age: 1))
        }
        try fixture.store.purge(by: .policies)
        #expect(try people.query().records().map(\.id) == [3, 4, 5])
        #expect(try lund.records().map(\.id) == [3, 4, 5])
        #expect(try lund.count() == 3)
        try people.insert(Person(id: 6, name: "a", email: "1", age: 1))
        #expect(try people.find(\.email, "1")?.id == 6)
    }

    @Test func aLeastRecentlyUsedPolicyRemovesRecordsAndLeavesIndexEntriesOut() throws {
        var options = NamespaceOptions(isPurgeable: true)
        options.purgePolicy = .leastRecentlyUsed(1500, trimTo: 1)
        try people.namespace.setOptions(options)
        for id in 1...5 {
            fixture.time.advance(milliseconds: 10)
            // About 400 bytes as a record, and as much again in the indexes.
            try people.insert(Person(id: id, name: String(repeating: "a", count: 300), email: "\(id)", age: 1))
        }
        fixture.time.advance(milliseconds: 10_000)
        // A read of the oldest record keeps it.
        #expect(try people.find(1)?.id == 1)
        try fixture.store.purge(by: .policies)
        let left = try people.query().records().map(\.id)
        #expect(left.contains(1) && left.count == 3)
        #expect(try lund.records().map(\.id) == left)
        #expect(try lund.count() == left.count)
        for id in 1...5 where !left.contains(id) {
            try people.insert(Person(id: id, name: "n", email: "\(id)", age: 1))
        }
        #expect(try people.verify().isSound)
    }

    @Test func anotherVersionOfTheApplicationEmptiesRecordsAndIndexes() throws {
        try fixture.reopen { $0.appVersion = "1" }
        let namespace = fixture.store.common["scoped"]
        try namespace.setOptions(NamespaceOptions(isVersionScoped: true))
        var scoped = try RecordCollection(Person.schema, in: namespace)
        try scoped.insert(Person(id: 1, name: "a", email: "x", age: 1))
        // The scope was set before the indexes had namespaces, so that they get it now.
        scoped = try RecordCollection(Person.schema, in: namespace)
        try fixture.reopen { $0.appVersion = "2" }
        scoped = try RecordCollection(Person.schema, in: fixture.store.common["scoped"])
        #expect(try scoped.query(#Predicate { $0.age == 1 }).records().isEmpty)
        let report = try scoped.verify()
        #expect(report.records == 0 && report.entries == 0)
        try scoped.insert(Person(id: 2, name: "a", email: "x", age: 1))
        #expect(try scoped.count() == 1)
    }

    @Test func aDroppedCollectionIsEmptyAndWorksOn() throws {
        try people.insert(Person(id: 1, name: "a", email: "x", age: 1))
        try people.namespace.dropSubtree()
        #expect(try lund.records().isEmpty)
        try people.insert(Person(id: 2, name: "b", email: "x", age: 1))
        #expect(try lund.records().map(\.id) == [2])
        #expect(try people.find(\.email, "x")?.id == 2)
        #expect(try people.verify().isSound)
    }

    @Test func aCollectionOfAUserGoesWithTheUser() throws {
        let own = try fixture.store.user("u1").collection(Person.schema)
        try own.insert(Person(id: 1, name: "a", email: "x", age: 1))
        #expect(try lund.count() == 0)
        try fixture.store.removeUser("u1")
        let again = try fixture.store.user("u1").collection(Person.schema)
        #expect(try again.query(#Predicate { $0.city == "Lund" }).records().isEmpty)
        try again.insert(Person(id: 2, name: "a", email: "x", age: 1))
        #expect(try again.verify().isSound)
    }

    @Test func aRecordThatNoLongerDecodesFailsAloneAndIsReported() throws {
        for id in 1...3 { try people.insert(Person(id: id, name: "a", email: "\(id)", age: id)) }
        try people.namespace.set("damaged", forKey: RecordKey(2).bytes)
        let page = try people.query().page()
        #expect(page.records.map(\.id) == [1, 3])
        #expect(page.failures.map(\.key) == [try RecordKey(2)])
        #expect(try lund.page().failures.count == 1)
        #expect(fixture.store.health.failedReads == 2)
        #expect(code { () throws(StorageError) in try people.find(2) } != nil)
        // Its claim stands until it is replaced or deleted.
        let claimed = violation { () throws(StorageError) in
            try people.insert(Person(id: 4, name: "b", email: "2", age: 1))
        }
        #expect(claimed?.kind == .notUnique)
        #expect(try people.delete(RecordKey(2)))
        try people.insert(Person(id: 4, name: "b", email: "2", age: 1))
        #expect(try lund.page().failures.isEmpty)
    }

    @Test func anIndexOverEncryptedRecordsIsRefused() throws {
        let options: ValueOptions = .encrypted
        let found = code { () throws(StorageError) in
            try people.insert(Person(id: 1, name: "a", age: 1), options: options)
        }
        #expect(found == .cipherMismatch)
        #expect(try people.count() == 0)
    }

    @Test func changesAboveTheBatchLimitAreRefusedTogether() throws {
        let notes = try fixture.store.common.collection(
            RecordSchema<Note>(
                "large", fields: [RecordField("rank", \.rank)], indexes: [RecordIndex("r", .ascending(\.rank))]))
        let large = Note(text: String(repeating: "x", count: 13 << 20), rank: 1)
        for _ in 0..<5 { try notes.insert(large) }
        let all = notes.query(#Predicate { $0.rank == 1 })
        #expect(code { () throws(StorageError) in try all.modify { $0.rank = 2 } } == .invalidArgument)
        #expect(try notes.query(#Predicate { $0.rank == 2 }).count() == 0)
        #expect(try all.count() == 5)
    }

    @Test func manyRecordsAreChangedInStepsWithProgress() throws {
        try people.insert(contentsOf: (0..<600).map(Person.numbered))
        var steps: [RecordChangeProgress] = []
        let wanted = people.query(#Predicate { $0.age >= 0 })
        let changed = try wanted.modifyInSteps {
            steps.append($0)
        } _: {
            $0.age = -1
        }
        #expect(changed == 600)
        #expect(steps.map(\.changed) == [256, 512, 600] && steps.allSatisfy { $0.total == 600 })
        #expect(try people.query(#Predicate { $0.age == -1 }).deleteInSteps() == 600)
        #expect(try people.verify().entries == 0)
    }
}
