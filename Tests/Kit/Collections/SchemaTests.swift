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

/// Opening, and changes of schemas: collections.md, sections 1 and 2.
@Suite struct SchemaTests {
    private let fixture: CollectionFixture

    init() throws { fixture = try CollectionFixture() }

    private func opening(_ schema: RecordSchema<Person>) -> StorageError? {
        do {
            _ = try fixture.store.common.collection(schema)
            return nil
        } catch {
            return error
        }
    }

    private static let fields = [RecordField("id", \Person.id), RecordField("name", \.name), RecordField("age", \.age)]

    @Test func openingAgainChangesNothing() throws {
        let people = try fixture.filled(10)
        let before = fixture.store.engine.snapshot().sequence
        _ = try fixture.people()
        try fixture.reopen()
        let again = try fixture.people()
        #expect(fixture.store.engine.snapshot().sequence == before)
        #expect(try again.count() == 10)
        #expect(people.name == "Person")
    }

    @Test func anotherSchemaUnderTheNameIsAnError() throws {
        _ = try fixture.people()
        let other = RecordSchema<Person>("Person", key: \.id, fields: Self.fields)
        #expect(opening(other)?.code == .schemaMismatch)
        let keyed = RecordSchema<Person>("Person", key: \.name, fields: Self.fields)
        #expect(opening(keyed)?.message.contains("primary key") == true)
        let generated = RecordSchema<Person>("Person", fields: Person.schema.fields, indexes: Person.schema.indexes)
        #expect(opening(generated)?.code == .schemaMismatch)
        let lessIndexes = RecordSchema<Person>("Person", key: \.id, fields: Person.schema.fields)
        #expect(opening(lessIndexes)?.code == .schemaMismatch)
    }

    @Test func schemasThatContradictThemselvesAreRefused() throws {
        let twice = RecordSchema<Person>("p", key: \.id, fields: Self.fields + [RecordField("name", \.city)])
        #expect(opening(twice)?.message.contains("name=name") == true)
        let noField = RecordSchema<Person>("p", key: \.email, fields: Self.fields)
        #expect(opening(noField)?.code == .invalidArgument)
        let column = RecordSchema<Person>(
            "p", key: \.id, fields: Self.fields, indexes: [RecordIndex("i", .ascending(\.city))])
        #expect(opening(column)?.message.contains("index i") == true)
        let same = RecordSchema<Person>(
            "p", key: \.id, fields: Self.fields, indexes: [RecordIndex("i", .ascending(\.age), .descending(\.age))])
        #expect(opening(same)?.message.contains("field=age") == true)
    }

    @Test func schemasThatContradictTheRecordTypeAreRefused() throws {
        let unknown = RecordSchema<Person>("p", key: \.id, fields: Self.fields + [RecordField("town", \.city)])
        #expect(opening(unknown)?.message.contains("field=town") == true)
        let crossed = RecordSchema<Person>("p", key: \.id, fields: Self.fields + [RecordField("city", \.score)])
        #expect(opening(crossed)?.message.contains("field=city") == true)
    }

    @Test func theNumbersOfTheOriginalAreKept() {
        let kinds: [FieldKind] = [.integer, .text, .real, .binary]
        #expect(kinds.map(\.rawValue) == [10001, 10002, 10003, 10004])
        let constraints: [FieldConstraint] = [.none, .notNull, .unique, .uniqueAndNotNull]
        #expect(constraints.map(\.rawValue) == [20001, 20002, 20003, 20004])
    }

    @Test func anIndexIsAddedBesideItsRecordsAndDropped() throws {
        let fields = Person.schema.fields
        let first = try fixture.store.common.collection(RecordSchema<Person>("p", key: \.id, fields: fields))
        for number in 0..<300 { try first.insert(Person.numbered(number)) }
        let wider = RecordSchema<Person>(
            "p", key: \.id, fields: fields, indexes: [RecordIndex("byAge", .ascending(\.age))])
        let second = try fixture.store.common.collection(wider, onDifference: .adopt)
        #expect(try second.needsMigration)
        let query = second.query(#Predicate { $0.age == 17 })
        #expect(try query.explain().source == .allRecords)
        #expect(try query.count() == 3)
        // Writers maintain the index while it is built; those that don't know it are refused.
        try second.put(Person(id: 17, name: "moved", age: 18))
        try second.insert(Person(id: 1000, name: "new", age: 17))
        #expect(
            code { () throws(StorageError) in try first.insert(Person.numbered(2000)) } == .schemaMismatch)
        var fractions: [Double] = []
        let report = try second.migrate { fractions.append($0.fraction) }
        #expect(report.examined == 301 && report.migrated == 0)
        #expect(fractions == fractions.sorted() && fractions.last == 1)
        #expect(try query.explain().source == .index)
        #expect(try query.records().map(\.id) == [117, 217, 1000])
        #expect(try second.verify().isSound)
        let third = try fixture.store.common.collection(
            RecordSchema<Person>("p", key: \.id, fields: fields), onDifference: .adopt)
        #expect(try !third.needsMigration)
        #expect(third.namespace.child(".index").childNames.count == 1)
        #expect(try third.query(#Predicate { $0.age == 17 }).explain().source == .allRecords)
    }

    @Test func aUniqueIndexOverTwinsIsAViolationAndCanBeFinishedLater() throws {
        let fields = [RecordField("id", \Person.id), RecordField("name", \.name)]
        let first = try fixture.store.common.collection(RecordSchema<Person>("p", key: \.id, fields: fields))
        for id in 0..<300 { try first.insert(Person(id: id, name: "\(id % 299)", age: 0)) }
        let unique = RecordSchema<Person>(
            "p", key: \.id, fields: fields, indexes: [RecordIndex("names", .ascending(\.name), isUnique: true)])
        let second = try fixture.store.common.collection(unique, onDifference: .adopt)
        #expect(violation { () throws(StorageError) in try second.migrate() }?.field == "names")
        #expect(try second.needsMigration)
        try second.modify(RecordKey(299)) { $0.name = "299" }
        try second.migrate()
        #expect(try !second.needsMigration)
        #expect(violation { () throws(StorageError) in try second.insert(Person(id: 900, name: "5", age: 0)) } != nil)
        #expect(try second.verify().isSound)
    }

    @Test func damagedIndexesAreFoundByVerifyAndRebuilt() throws {
        let people = try fixture.filled(200)
        let index = people.namespace.child(".index").child("1")
        try index.removeAll(in: KeyRange.all)
        #expect(try people.verify().missingEntries == 200)
        try people.rebuildIndexes()
        let report = try people.verify()
        #expect(report.isSound && report.staleEntries == 0 && report.entries == 800)
        #expect(try people.query(#Predicate { $0.age == 5 }).explain().source == .index)
    }

    @Test func readOnlyStoresAnswerQueries() throws {
        _ = try fixture.filled(50)
        try fixture.reopen { $0.engine.mode = .readOnly }
        let people = try fixture.people()
        #expect(try people.query(#Predicate { $0.age < 5 }).records().count == 5)
        #expect(code { () throws(StorageError) in try people.insert(Person.numbered(99)) } == .readOnly)
    }

    /// The schema is found without a read as long as nothing was written there.
    @Test func aSchemaThatWasNotCommittedIsNotUsed() throws {
        let people = try fixture.people()
        try people.insert(Person.numbered(1))
        let meta = people.namespace.child(".schema")
        try meta.drop()
        let stopped = code { () throws(StorageError) in
            try fixture.store.transaction { (transaction) throws(StorageError) in
                try people.insert(Person.numbered(2), in: transaction)
                try people.insert(Person.numbered(3), in: transaction)
                throw StorageError(.cancelled, "stop")
            }
        }
        #expect(stopped == .cancelled)
        #expect(try !meta.contains("schema"))
        try people.insert(Person.numbered(4))
        #expect(try meta.contains("schema"))
        try fixture.reopen()
        let again = try fixture.people()
        try again.migrate()
        #expect(try again.query().records().map(\.id) == [1, 4])
        #expect(try again.verify().isSound)
    }
}
