import ShaleSync

/// A counter that both clients increment, with a part for each of them.
///
/// The rule adds the increments of both sides to each part. So a part is the number of its client's increments, if and
/// only if each of them has reached every client once.
struct Tally: Codable, Sendable, Hashable {
    var id: Int
    var parts: [String: Int] = [:]

    static let schema = RecordSchema<Tally>("tallies", key: \.id, fields: [RecordField("id", \.id)])

    static let rule = ConflictRule<Tally>.merging { versions in
        let sides = [versions.mine, versions.theirs].compactMap { $0 }
        guard let first = sides.first else { return nil }
        var result = Tally(id: first.id)
        for name in Set(sides.flatMap(\.parts.keys)) {
            let base = versions.base?.parts[name] ?? 0
            result.parts[name] = base + sides.reduce(0) { $0 + ($1.parts[name] ?? 0) - base }
        }
        return result
    }
}

/// A text, of which the later change wins.
struct Note: Codable, Sendable, Hashable {
    var id: Int
    var text: String

    static let schema = RecordSchema<Note>(
        "notes", key: \.id, fields: [RecordField("id", \.id), RecordField("text", \.text, .notNull)])
}
