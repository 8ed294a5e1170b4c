import Shale
import ShaleCollections
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Single records: collections.md, section 1 and 2.
@Suite struct RecordWritingTests {
    private let fixture: CollectionFixture

    init() throws { fixture = try CollectionFixture() }

    @Test func anInsertedRecordIsFoundByItsKeyAndItsUniqueField() throws {
        let people = try fixture.people()
        let ada = Person(id: -5, name: "Ada", email: "ada@example.org", age: 36)
        try people.insert(ada)
        #expect(try people.find(-5) == ada)
        #expect(try people.find(\.email, "ada@example.org") == ada)
        #expect(try people.find(\.email, "other") == nil)
        #expect(try people.count() == 1)
    }

    @Test func anInsertionUnderAnExistingKeyIsAViolation() throws {
        let people = try fixture.people()
        try people.insert(Person(id: 1, name: "a", age: 1))
        let found = violation { () throws(StorageError) in try people.insert(Person(id: 1, name: "b", age: 2)) }
        #expect(found?.kind == .keyExists)
        #expect(found?.field == "id")
        #expect(try people.find(1)?.name == "a")
    }

    @Test func aSecondUniqueValueIsAViolationThatNamesTheFieldAndLeavesNothing() throws {
        let people = try fixture.people()
        try people.insert(Person(id: 1, name: "a", email: "x", age: 1))
        let found = violation { () throws(StorageError) in
            try people.insert(Person(id: 2, name: "b", email: "x", age: 2))
        }
        #expect(found?.kind == .notUnique)
        #expect(found?.field == "email")
        #expect(found?.collection == "Person")
        #expect(try people.find(2) == nil)
        #expect(try people.query(#Predicate { $0.age == 2 }).records().isEmpty)
        #expect(try people.verify().isSound)
    }

    @Test func anyNumberOfRecordsHasNilInAUniqueField() throws {
        let people = try fixture.people()
        for id in 1...3 { try people.insert(Person(id: id, name: "n", age: id)) }
        #expect(try people.query(#Predicate { $0.email == nil }).count() == 3)
    }

    @Test func textIsUniqueByItsBytes() throws {
        let people = try fixture.people()
        try people.insert(Person(id: 1, name: "a", email: "\u{e9}", age: 1))
        try people.insert(Person(id: 2, name: "b", email: "e\u{301}", age: 2))
        #expect(try people.find(\.email, "\u{e9}")?.id == 1)
        #expect(try people.find(\.email, "e\u{301}")?.id == 2)
    }

    @Test func aReleasedValueIsFreeAgain() throws {
        let people = try fixture.people()
        try people.insert(Person(id: 1, name: "a", email: "x", age: 1))
        try people.put(Person(id: 1, name: "a", email: "y", age: 1))
        try people.insert(Person(id: 2, name: "b", email: "x", age: 2))
        try people.delete(RecordKey(2))
        try people.modify(RecordKey(1)) { $0.email = "x" }
        #expect(try people.find(\.email, "x")?.id == 1)
        #expect(try people.verify().isSound)
    }

    @Test func modifyingAnIndexedFieldMovesItsEntry() throws {
        let people = try fixture.people()
        try people.insert(Person(id: 1, name: "a", age: 1))
        #expect(try people.modify(RecordKey(1)) { $0.age = 50 })
        #expect(try people.query(#Predicate { $0.age == 1 }).count() == 0)
        #expect(try people.query(#Predicate { $0.age == 50 }).count() == 1)
        #expect(try !people.modify(RecordKey(9)) { $0.age = 1 })
        #expect(try people.verify().isSound)
    }

    @Test func modifyingTheKeyIsRefused() throws {
        let people = try fixture.people()
        try people.insert(Person(id: 1, name: "a", age: 1))
        let found = code { () throws(StorageError) in try people.modify(RecordKey(1)) { $0.id = 2 } }
        #expect(found == .invalidArgument)
        #expect(try people.find(1) != nil)
    }

    @Test func generatedKeysFollowTheOrderOfInsertion() throws {
        let notes = try fixture.store.common.collection(Note.schema)
        var keys: [RecordKey] = []
        for rank in 0..<5000 { keys.append(try notes.insert(Note(rank: rank))) }
        fixture.time.wallMilliseconds -= 5
        keys.append(try notes.insert(Note(rank: 5000)))
        #expect(keys == keys.sorted())
        #expect(Set(keys).count == 5001)
        #expect(try keys[7].uuid != nil)
        #expect(try notes.find(keys[7])?.rank == 7)
        #expect(try notes.query().limit(3).records().map(\.rank) == [0, 1, 2])
    }

    @Test func aRequiredValueThatIsNilIsAViolation() throws {
        let schema = RecordSchema<Note>("n", fields: [RecordField("text", \.text, .uniqueAndNotNull)])
        let notes = try fixture.store.common.collection(schema)
        let found = violation { () throws(StorageError) in try notes.insert(Note()) }
        #expect(found?.kind == .isNull)
        #expect(found?.field == "text")
    }

    @Test func severalRecordsAreInsertedTogetherOrNotAtAll() throws {
        let people = try fixture.people()
        let twins = [Person(id: 1, name: "a", email: "x", age: 1), Person(id: 2, name: "b", email: "x", age: 1)]
        #expect(violation { () throws(StorageError) in try people.insert(contentsOf: twins) }?.field == "email")
        #expect(try people.count() == 0)
        #expect(try people.verify().isSound)
    }

    @Test func aKeyTwiceInABatchIsAViolation() throws {
        let people = try fixture.people()
        let batch = [3, 1, 2, 1].map { Person(id: $0, name: "a", age: $0) }
        let found = violation { () throws(StorageError) in try people.insert(contentsOf: batch) }
        #expect(found?.kind == .keyExists && found?.field == "id")
        #expect(try people.count() == 0)
        #expect(try people.verify().entries == 0)
    }

    /// The first record that breaks a constraint decides, whatever the others break.
    @Test func aBatchFailsAsItsRecordsDoOneByOne() throws {
        let schema = RecordSchema<Note>(
            "n", fields: [RecordField("text", \.text, .uniqueAndNotNull), RecordField("rank", \.rank, .unique)])
        let notes = try fixture.store.common.collection(schema)
        try notes.insert(Note(text: "a", rank: 1))
        for (batch, expected) in [
            ([Note(text: "b", rank: 1), Note(rank: 2)], "rank"), ([Note(rank: 1), Note(text: "a")], "text"),
            ([Note(text: "b"), Note(text: "a")], "text"),
            ([Note(text: "b"), Note(text: "c"), Note(text: "b")], "text"),
        ] {
            let found = violation { () throws(StorageError) in try notes.insert(contentsOf: batch) }
            #expect(found?.field == expected)
        }
        #expect(try notes.count() == 1)
        try notes.insert(contentsOf: [Note(text: "b"), Note(text: "c", rank: 2)])
        #expect(try notes.find(\.rank, 2)?.text == "c")
        #expect(try notes.verify().isSound)
    }

    @Test func aBatchTakesUniqueValuesWhoseRecordsAreGone() throws {
        let people = try fixture.people()
        try people.insert(Person(id: 1, name: "a", email: "x", age: 1))
        try people.namespace.remove(RecordKey(1).bytes)
        let batch = [Person(id: 2, name: "b", email: "x", age: 2), Person(id: 3, name: "c", email: "y", age: 3)]
        try people.insert(contentsOf: batch)
        #expect(try people.find(\.email, "x")?.id == 2)
        #expect(try people.verify().isSound)
    }

    @Test func longUniqueTextsAreComparedInABatch() throws {
        let people = try fixture.people()
        let long = String(repeating: "x", count: 600)
        let batch = [
            Person(id: 1, name: "a", email: long + "1", age: 1), Person(id: 2, name: "b", email: long, age: 2),
        ]
        try people.insert(contentsOf: batch)
        let again = [Person(id: 3, name: "c", age: 3), Person(id: 4, name: "d", email: long, age: 4)]
        #expect(violation { () throws(StorageError) in try people.insert(contentsOf: again) }?.field == "email")
        #expect(try people.count() == 2)
    }

    @Test func twoCollectionsAndOtherKeysChangeInOneTransaction() throws {
        let people = try fixture.people()
        let notes = try fixture.store.common.collection(Note.schema)
        let other = fixture.store.common["other"]
        try fixture.store.transaction { (transaction) throws(StorageError) in
            try people.insert(Person(id: 1, name: "a", age: 1), in: transaction)
            try notes.insert(Note(text: "t"), in: transaction)
            try transaction.set(1, forKey: "k", in: other)
            #expect(try people.find(RecordKey(1), in: transaction) != nil)
        }
        #expect(try people.count() == 1)
        #expect(try notes.count() == 1)
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try fixture.store.transaction { transaction in
                try people.delete(RecordKey(1), in: transaction)
                throw Stop()
            }
        }
        #expect(try people.count() == 1)
    }
}
