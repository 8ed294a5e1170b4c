import Shale
import TestSupport
import Testing

@testable import ShaleCollections

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One field of many records.
@Suite struct ProjectionTests {
    private let fixture: CollectionFixture
    private let people: RecordCollection<Person>

    init() throws {
        fixture = try CollectionFixture()
        people = try fixture.filled(300)
    }

    @Test func valuesAreThoseOfTheRecords() throws {
        let all = try people.query().records()
        #expect(try people.query().values(of: \.name) == all.map(\.name))
        #expect(try people.query().values(of: \.email) == all.map(\.email), "nil stays nil")
        let query = people.query(#Predicate { $0.age >= 20 && $0.city == "Lund" && $0.name != "x" })
            .ordered(by: .descending(\.age), .ascending(\.name)).limit(17)
        #expect(try query.values(of: \.score) == query.records().map(\.score))
        #expect(try query.values(of: \.id) == query.records().map(\.id))
        let next = query.after(try query.page().next)
        #expect(try next.values(of: \.email) == next.records().map(\.email))
    }

    @Test func theOtherFieldsAreNotDecoded() throws {
        let key = try RecordKey(7).bytes
        // The name is no text, so the record does not decode.
        let fields: [(String, CompositeKey.Element)] = [
            ("id", .int(7)), ("name", .int(1)), ("age", .int(50)), ("city", .string("Lund")), ("score", .double(2)),
        ]
        let (codec, bytes) = try RecordBytes.payload(version: 1, fields: fields)
        try people.namespace.setPayload(bytes, codec: codec, forKey: key)
        #expect(try people.query(#Predicate { $0.id == 7 }).records().isEmpty)
        #expect(try people.query(#Predicate { $0.id == 7 }).values(of: \.score) == [2])
        #expect(try people.query(#Predicate { $0.id == 7 }).values(of: \.name).isEmpty)
    }

    @Test func conditionsThatNeedTheRecordAreAnswered() throws {
        let query = people.query(#Predicate { $0.name.count + $0.age > 30 })
        #expect(try query.values(of: \.name) == query.records().map(\.name))
        #expect(try query.values(of: \.name).count < 300)
    }

    @Test func recordsOfOtherFormatsAreProjectedToo() throws {
        let codec = VersionedCodec(Person.self, as: .json)
        try people.namespace.set(Person(id: 5, name: "json", age: 3), forKey: RecordKey(5).bytes, using: codec)
        #expect(try people.query(#Predicate { $0.id == 5 }).values(of: \.name) == ["json"])
    }
}
