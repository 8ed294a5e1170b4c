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

/// Import, export, and the answers of a query as they change: collections.md, section 2.
@Suite struct CollectionExchangeTests {
    private let fixture: CollectionFixture
    private let people: RecordCollection<Person>

    init() throws {
        fixture = try CollectionFixture()
        people = try fixture.people()
    }

    @Test(arguments: [CodableFormat.json, .propertyList, .compact]) func anExportIsImportedAgain(
        _ format: CodableFormat
    ) throws {
        let all = (0..<50).map(Person.numbered)
        try people.insert(contentsOf: all)
        let data = try people.exportArray(as: format)
        let other = try fixture.store.user("u").collection(Person.schema)
        #expect(try other.importArray(data, as: format).imported == 50)
        #expect(try other.query().records() == all)
        #expect(try other.importArray(data, as: format).imported == 50)
        #expect(try other.count() == 50)
        #expect(try other.verify().isSound)
    }

    @Test func elementsThatAreNoRecordsAreReported() throws {
        let text = """
            [{"id": 1, "name": "a", "age": 1, "city": "x", "score": 1, "email": "e"}, 5, {"id": 2},
             {"id": 3, "name": "a", "age": 1, "city": "x", "score": 1, "email": "e"}]
            """
        let report = try people.importArray(Data(text.utf8), as: .json)
        #expect(report.imported == 1 && report.failed == 3)
        #expect(report.failures.map(\.position) == [1, 2, 3])
        #expect(report.failures.last?.error.constraintViolation?.field == "email")
        let noArray = code { () throws(StorageError) in try people.importArray(Data("{}".utf8), as: .json) }
        #expect(noArray == .codecFailure)
    }

    @Test(arguments: [1, 7, 1 << 20]) func anArrayIsImportedInPieces(_ size: Int) throws {
        let all = (0..<40).map(Person.numbered)
        try people.insert(contentsOf: all)
        var text = Data()
        #expect(try people.exportJSONArray { (piece) throws(StorageError) in text.append(piece) } == 40)
        #expect(text == (try people.exportArray(as: .json)))
        let other = try fixture.store.user("u").collection(Person.schema)
        var rest = text[...]
        let report = try other.importJSONArray { () throws(StorageError) in
            defer { rest = rest.dropFirst(size) }
            return Data(rest.prefix(size))
        }
        #expect(report.imported == 40)
        #expect(try other.query().records() == all)
    }

    @Test(arguments: [
        ("[]", 0), (" [ ] ", 0), (#"[{"id":1,"name":"]","age":1,"city":"\"","score":1}, 5 ,[1,[]] ]"#, 1),
        (#"["a","\\",null,true]"#, 0),
    ]) func elementsEndWhereTheirBracketsDo(_ text: String, _ imported: Int) throws {
        for size in [1, 3, 100] {
            var rest = Array(text.utf8)[...]
            let report = try people.importJSONArray { () throws(StorageError) in
                defer { rest = rest.dropFirst(size) }
                return Data(rest.prefix(size))
            }
            #expect(report.imported == imported)
        }
    }

    @Test(arguments: ["", "{}", "[", "[1", "[1,]", "[,1]", "[}]", "[1 2]", "[1]]", "[1],", "[tru]", "[{]", "5"])
    func aTextThatIsNoArrayIsRefused(_ text: String) {
        var pieces = [Data(text.utf8)]
        let failure = code { () throws(StorageError) in
            try people.importJSONArray { () throws(StorageError) in pieces.popLast() }
        }
        #expect(failure == .codecFailure)
    }

    @Test func aRecordIsInsertedFromADictionary() throws {
        try people.insert(values: ["id": 1, "name": "a", "age": 5, "city": "x", "score": 0.5])
        #expect(try people.find(1) == Person(id: 1, name: "a", email: nil, age: 5, city: "x", score: 0.5))
        #expect(code { () throws(StorageError) in try people.insert(values: ["id": 2]) } == .codecFailure)
    }

    @Test func theAnswersOfAQueryFollowItsChanges() async throws {
        try await people.insert(Person(id: 1, name: "a", age: 20))
        let answers = try people.query(#Predicate { $0.age >= 18 }).answers()
        var iterator = answers.makeAsyncIterator()
        #expect(try await iterator.next()?.records.map(\.id) == [1])
        try await people.insert(Person(id: 2, name: "b", age: 10))
        try await people.insert(Person(id: 3, name: "c", age: 30))
        #expect(try await iterator.next()?.records.map(\.id) == [1, 3])
        try people.modify(RecordKey(1)) { $0.name = "changed" }
        #expect(try await iterator.next()?.records.map(\.name) == ["changed", "c"])
        try people.namespace.truncate()
        #expect(try await iterator.next()?.records.isEmpty == true)
        answers.cancel()
        #expect(try await iterator.next() == nil)
    }

    @Test func asynchronousCallersGetTheSameAnswers() async throws {
        try await people.insert(contentsOf: (0..<20).map(Person.numbered))
        let young = people.query(#Predicate { $0.age < 5 })
        #expect(try await young.records().count == 5)
        #expect(try await young.count() == 5)
        #expect(try await young.first()?.id == 0)
        #expect(try await young.limit(2).page().records.count == 2)
        #expect(try await young.modify { $0.age = 50 } == 5)
        #expect(try await people.query(#Predicate { $0.age == 50 }).delete() == 5)
        #expect(try people.verify().isSound)
    }
}
