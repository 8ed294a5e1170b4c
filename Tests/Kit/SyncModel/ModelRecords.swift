import ShaleCollections
import ShaleSync

/// A record whose last writer wins.
package struct Note: Codable, Sendable, Hashable {
    package var id: Int
    package var text: String

    static let schema = RecordSchema<Note>(
        "notes", key: \.id, fields: [RecordField("id", \.id), RecordField("text", \.text)],
        indexes: [RecordIndex("byText", .ascending(\.text))])
}

/// A record that is merged field by field. Each device writes a field of its own.
package struct Card: Codable, Sendable, Hashable {
    package var id: Int
    package var a: String?
    package var b: String?
    package var c: String?
    package var d: String?

    static let schema = RecordSchema<Card>("cards", key: \.id, fields: [RecordField("id", \.id)])

    static let fields: [any WritableKeyPath<Card, String?> & Sendable] = [\.a, \.b, \.c, \.d]
}

/// A record that a closure merges: no increment is lost, and none is counted twice.
package struct Counter: Codable, Sendable, Hashable {
    package var id: Int
    package var value: Int

    static let schema = RecordSchema<Counter>("counters", key: \.id, fields: [RecordField("id", \.id)])

    static let rule = ConflictRule<Counter>.merging { versions in
        guard let mine = versions.mine, let theirs = versions.theirs else { return versions.mine ?? versions.theirs }
        return Counter(id: mine.id, value: theirs.value + mine.value - (versions.base?.value ?? 0))
    }
}
