import Foundation
import ShaleCollections
import Testing

@Suite struct CollectionSamples {
    @Test func recordsAreFoundByAPredicate() throws {
        let place = try TemporaryPlace()
        defer { place.remove() }
        let store = try Store(at: place.path + "/store")
        struct Person: Codable, Sendable { var id: Int, name: String, email: String?, age: Int }

        let schema = RecordSchema<Person>(
            key: \.id,
            fields: [
                RecordField("id", \.id), RecordField("name", \.name, .notNull),
                RecordField("email", \.email, .unique), RecordField("age", \.age),
            ],
            indexes: [RecordIndex("byAge", .ascending(\.age), .ascending(\.name))])

        let people = try store.common.collection(schema)
        try people.insert(Person(id: 1, name: "Ada", email: "ada@example.org", age: 36))
        let adults = try people.query(#Predicate { $0.age >= 18 })
            .ordered(by: .ascending(\.age), .ascending(\.name)).limit(20).records()
        #expect(adults.map(\.name) == ["Ada"])
        try store.close()
    }
}
