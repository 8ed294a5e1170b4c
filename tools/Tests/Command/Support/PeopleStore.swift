import Foundation
import Shale
import ShaleCollections

/// A store with a collection of people and one of notes.
enum PeopleStore {
    struct Person: Codable, Sendable {
        var id: Int
        var name: String
        var email: String?
        var age: Int
        var since = Date(timeIntervalSince1970: 1_767_225_600)

        static let schema = RecordSchema<Person>(
            "people", key: \.id,
            fields: [
                RecordField("id", \.id), RecordField("name", \.name), RecordField("email", \.email, .unique),
                RecordField("age", \.age), RecordField("since", \.since),
            ],
            indexes: [RecordIndex("byAge", .ascending(\.age), .descending(\.name))])
    }

    struct Note: Codable, Sendable {
        var text: String?

        static let schema = RecordSchema<Note>("notes", fields: [RecordField("text", \.text)])
    }

    static func make(_ sandbox: Sandbox, count: Int = 30) throws {
        let store = try Store(at: sandbox.store)
        let people = try store.common.collection(Person.schema)
        try people.insert(
            contentsOf: (0..<count).map {
                Person(id: $0, name: "n\($0 % 4)", email: $0 % 2 == 0 ? "e\($0)@example.org" : nil, age: $0 % 10)
            })
        let notes = try RecordCollection(Note.schema, in: store.user("u1")["notes"])
        try notes.insert(Note(text: "first"))
        try store.common["plain"].set(1, forKey: "k")
        try store.close()
    }
}
