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

/// Collections that are opened by their stored schema, without their Swift type.
@Suite struct StoredCollectionTests {
    private let fixture: CollectionFixture
    private let people: RecordCollection<Person>

    init() throws {
        fixture = try CollectionFixture()
        people = try fixture.filled(400)
    }

    private var stored: StoredCollection {
        get throws { try #require(try fixture.store.common.storedCollection("Person")) }
    }

    private func ids(_ query: RecordQuery<StoredRecord>) throws -> [Int64] {
        try query.records().map { record in
            guard case .int(let id) = record.value(of: "id") else { return -1 }
            return id
        }
    }

    @Test func aNamespaceWithoutACollectionIsNone() throws {
        #expect(try fixture.store.common.storedCollection("people") == nil)
        try fixture.store.common["plain"].set(1, forKey: "k")
        #expect(try StoredCollection(in: fixture.store.common["plain"]) == nil)
    }

    @Test func theCollectionsOfAllSpacesAreListed() throws {
        _ = try fixture.store.user("u").collection(Note.schema)
        _ = try RecordCollection(Note.schema, in: fixture.store.common["a"])
        let found = fixture.store.collectionNamespaces
        #expect(found.map(\.path) == [["a"], ["collections", "Person"], ["collections", "notes"]])
        #expect(found.map(\.space.userID) == [nil, nil, "u"])
    }

    @Test func theSchemaIsThatOfTheType() throws {
        let stored = try stored
        #expect(stored.name == "Person" && stored.version == 1 && stored.key == "id" && !stored.isMigrating)
        #expect(stored.fields.map(\.name) == ["id", "name", "email", "age", "city", "score"])
        #expect(stored.fields.map(\.kind) == [.integer, .text, .text, .integer, .text, .real])
        #expect(stored.fields.map(\.isNullable) == [false, false, true, false, false, false])
        #expect(stored.fields[2].constraint == .unique)
        #expect(stored.indexes.map(\.name) == ["byAge", "byCity", "byScore", "email"])
        #expect(stored.indexes.map(\.isUnique) == [false, false, false, true])
        #expect(stored.indexes.map(\.isReady) == [true, true, true, true])
        #expect(stored.indexes[0].columns.map(\.isDescending) == [false, true])
        #expect(try stored.indexes[0].namespace.count() == 400)
        #expect(try stored.count() == 400)
    }

    @Test func aStoreThatIsOpenForReadingIsEnough() throws {
        try fixture.reopen { $0.engine.mode = .readOnly }
        #expect(try stored.query(where: "age = 17").records().count == 4)
        #expect(try stored.verify().isSound)
    }

    @Test func queriesTakeTheSamePathsAsThoseOfTheType() throws {
        let stored = try stored
        let numbers = [3, 5, 900]
        let pairs: [(String, RecordQuery<Person>)] = [
            ("age = 17", people.query(#Predicate { $0.age == 17 })),
            ("age > 10 and age < 13", people.query(#Predicate { $0.age > 10 && $0.age < 13 })),
            ("city = 'Oslo' and name > 'n4'", people.query(#Predicate { $0.city == "Oslo" && $0.name > "n4" })),
            ("city starts with 'Os'", people.query(#Predicate { $0.city.starts(with: "Os") })),
            ("email is null", people.query(#Predicate { $0.email == nil })),
            ("email is not null", people.query(#Predicate { $0.email != nil })),
            ("id in (3, 5, 900)", people.query(#Predicate { numbers.contains($0.id) })),
            ("score <= 2.25", people.query(#Predicate { $0.score <= 2.25 })),
            (
                "age = 3 or score > 99 or id = 3",
                people.query(#Predicate { $0.age == 3 || $0.score > 99 || $0.id == 3 })
            ),
            ("name = 'n1'", people.query(#Predicate { $0.name == "n1" })),
            ("not age = 3", people.query(#Predicate { !($0.age == 3) })),
        ]
        for (text, query) in pairs {
            let untyped = try stored.query(where: text)
            #expect(try ids(untyped) == query.records().map { Int64($0.id) }, "\(text)")
            #expect(try untyped.explain() == query.explain(), "\(text)")
            #expect(try untyped.count() == query.count(), "\(text)")
        }
    }

    @Test func anOrderInTextIsThatOfKeyPaths() throws {
        let typed = people.query().ordered(by: .ascending(\.age), .descending(\.name)).limit(50)
        let untyped = try stored.query().ordered(by: "age, name DESC").limit(50)
        #expect(try ids(untyped) == typed.records().map { Int64($0.id) })
        #expect(try untyped.explain() == typed.explain())
        #expect(try !untyped.explain().isSorted)
    }

    @Test func aCursorOfTheTypeContinuesWithoutIt() throws {
        let typed = people.query(#Predicate { $0.age > 20 }).ordered(by: .ascending(\.age), .descending(\.name))
        let first = try typed.limit(30).page()
        let rest = try stored.query(where: "age > 20").ordered(by: "age asc, name desc").after(first.next)
        #expect(try ids(rest) == typed.records().dropFirst(30).map { Int64($0.id) })
        #expect(try rest.exists())
        #expect(try rest.limit(5).after(rest.page().next).exists())
    }

    @Test func aQueryBehindTheLastRecordFindsNone() throws {
        let query = people.query(#Predicate { $0.age == 5 }).ordered(by: .ascending(\.name)).limit(4)
        let page = try query.page()
        #expect(page.records.count == 4)
        let last = try #require(page.next)
        #expect(try !query.after(last).exists())
        #expect(try query.after(last).records().isEmpty)
    }

    @Test func aWalkTellsWhereItEnded() throws {
        let query = people.query().ordered(by: .ascending(\.name))
        var seen = 0
        let end = try query.limit(3).forEach { (_, _) in seen += 1 }
        #expect(seen == 3)
        #expect(end.next == (try query.limit(3).page().next))
        #expect(try query.forEach { (_, _) in }.next == nil)
    }

    @Test func propertiesThatAreNoFieldsAreInTheDocument() throws {
        struct Tagged: Codable, Sendable {
            var id: Int
            var tags: [String]
            var when = Date(timeIntervalSinceReferenceDate: 1.5)
            var bytes: [UInt8] = [1, 2]
        }
        let schema = RecordSchema<Tagged>(
            key: \.id,
            fields: [RecordField("id", \.id), RecordField("when", \.when), RecordField("bytes", \.bytes)])
        try fixture.store.common.collection(schema).insert(Tagged(id: 7, tags: ["a"]))
        let stored = try #require(try fixture.store.common.storedCollection("Tagged"))
        let record = try #require(try stored.find(RecordKey(7)))
        #expect(record.properties["tags"] == ["a"])
        #expect(record.properties["when"] == .date(Date(timeIntervalSinceReferenceDate: 1.5)))
        #expect(record.properties["bytes"] == .data(Data([1, 2])))
        #expect(record.value(of: "tags") == nil)
        #expect(try stored.query(where: "bytes = x'0102' and when > '2001-01-01'").count() == 1)
    }

    @Test func aRecordWhoseDocumentLacksAFieldFailsAlone() throws {
        let document: StructuredValue = ["id": 1, "name": "n", "age": "old", "city": "x", "score": 1]
        try people.namespace.set(document, forKey: RecordKey(1000).bytes, as: .json)
        let page = try stored.query(where: "age >= 0").page()
        #expect(page.records.count == 400)
        let all = try stored.query().page()
        #expect(all.records.count == 400)
        #expect(all.failures.map(\.error.code) == [.codecFailure])
        #expect(all.failures[0].error.message.contains("field=age"))
    }

    @Test func recordsOfAnEarlierVersionFailAlone() throws {
        struct PersonV2: Codable, Sendable { var id: Int, name: String }
        let schema = RecordSchema<PersonV2>(
            "Person",
            codec: VersionedCodec(Person.self).then(PersonV2.self) { PersonV2(id: $0.id, name: $0.name) },
            key: \.id, fields: [RecordField("id", \.id), RecordField("name", \.name)])
        let next = try fixture.store.common.collection(schema, onDifference: .adopt)
        try next.insert(PersonV2(id: 900, name: "new"))
        let before = try stored.query().page()
        #expect(try stored.isMigrating)
        #expect(before.records.count == 1 && before.failures.count == 400)
        let refused = code { () throws(StorageError) in
            _ = try fixture.store.common.storedCollection("Person")?.rebuildIndexes()
        }
        #expect(refused == .schemaMismatch)
        try next.migrate()
        #expect(try stored.query().records().count == 401)
    }

    @Test func aSchemaThatChangedSinceIsAnError() throws {
        let less = RecordSchema<Person>("Person", key: \.id, fields: Person.schema.fields)
        _ = try fixture.store.common.collection(less, onDifference: .adopt)
        let before = try stored
        #expect(try before.query(where: "age = 17").explain().source == .allRecords)
        _ = try fixture.people(onDifference: .adopt)
        #expect(code { () throws(StorageError) in try before.query(where: "age = 17").records() } == .schemaMismatch)
        #expect(try stored.query(where: "age = 17").records().count == 4)
    }

    @Test(arguments: [
        #"{"format":1,"name":"","version":1,"fields":[],"indexes":[]"#,
        #"{"format":1,"name":"n","version":0,"fields":[FIELD],"indexes":[]"#,
        #"{"format":1,"name":"n","version":1,"fields":[FIELD,FIELD],"indexes":[]"#,
        #"{"format":1,"name":"n","version":1,"key":"b","fields":[FIELD],"indexes":[]"#,
        #"{"format":1,"name":"n","version":1,"fields":[FIELD],"indexes":[INDEX,INDEX]"#,
    ]) func aSchemaThatContradictsItselfIsCorruption(_ text: String) throws {
        let field = #"{"name":"a","kind":10001,"constraint":20001,"isNullable":false}"#
        let index = #"""
            {"id":1,"name":"i","columns":[{"field":"a","isDescending":false}],"isUnique":false,"isReady":true,"born":0}
            """#
        let rest = #","nextIndex":1,"isMigrating":false,"hadPolicy":false}"#
        let json = (text + rest).replacing("FIELD", with: field).replacing("INDEX", with: index)
        let namespace = fixture.store.common["hostile"]
        let tree = try JSONDecoder().decode(StructuredValue.self, from: Data(json.utf8))
        try namespace.child(".schema").set(tree, forKey: "schema", as: .json)
        #expect(code { () throws(StorageError) in _ = try StoredCollection(in: namespace) } == .corruption)
    }

    @Test func theStorePathIsThatOfTheOpening() throws {
        #expect(fixture.store.path == "/store")
        #expect(people.storePath == "/store")
    }
}
