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

    @Test func recordsAreFoundByAConditionInText() throws {
        let place = try TemporaryPlace()
        defer { place.remove() }
        let store = try Store(at: place.path + "/store")
        struct Person: Codable, Sendable { var id: Int, name: String, age: Int }
        let schema = RecordSchema<Person>(
            key: \.id, fields: [RecordField("id", \.id), RecordField("name", \.name), RecordField("age", \.age)])
        try store.common.collection(schema).insert(Person(id: 1, name: "Ada", age: 36))

        guard let people = try store.common.storedCollection("Person") else { return }
        let adults = try people.query(where: "age >= 18 and name starts with 'A'")
            .ordered(by: "age desc, name").limit(20)
        for record in try adults.records() { print(record.properties) }
        print(try adults.explain())
        #expect(try adults.count() == 1)

        for namespace in store.collectionNamespaces {
            guard let people = try StoredCollection(in: namespace) else { continue }
            let query = try people.query(where: "age >= 18 and name starts with 'A'").ordered(by: "age desc, name")
            for record in try query.limit(20).records() { print(record.properties) }
        }
        _ = try people.query(where: "name in ('Lund', 'Oslo') and not (age between 20 and 29 or name is null)")
        try store.close()
    }
}
