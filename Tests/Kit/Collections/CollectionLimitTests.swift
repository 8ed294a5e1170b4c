import Shale
import ShaleCollections
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The traps of collections.md, section 3, that concern sizes: "A key has at most 16 KiB" and "Bulk changes pass the
/// batch limit of 64 MiB".
@Suite struct CollectionLimitTests {
    private let fixture: CollectionFixture

    init() throws { fixture = try CollectionFixture() }

    private static let rankSchema = RecordSchema<Note>(
        "large", fields: [RecordField("rank", \.rank)], indexes: [RecordIndex("r", .ascending(\.rank))])

    private func largeNotes() throws -> RecordCollection<Note> {
        let notes = try fixture.store.common.collection(Self.rankSchema)
        let large = Note(text: String(repeating: "x", count: 13 << 20), rank: 1)
        for _ in 0..<6 { try notes.insert(large) }
        return notes
    }

    @Test func changesAboveTheBatchLimitSucceedInStepsWithProgress() throws {
        let notes = try largeNotes()
        var steps: [Int] = []
        let changed = try notes.query(#Predicate { $0.rank == 1 }).modifyInSteps {
            steps.append($0.changed)
        } _: {
            $0.rank = 2
        }
        #expect(changed == 6)
        #expect(steps.count > 1 && steps == steps.sorted() && steps.last == 6)
        #expect(try notes.query(#Predicate { $0.rank == 2 }).count() == 6)
        #expect(try notes.verify().isSound)
    }

    @Test func aMigrationAboveTheBatchLimitSucceedsInSteps() throws {
        let notes = try largeNotes()
        let next = RecordSchema<Note>(
            "large", codec: VersionedCodec(Note.self).then(Note.self) { Note(text: $0.text, rank: 3) },
            fields: [RecordField("rank", \.rank)], indexes: [RecordIndex("r", .ascending(\.rank))])
        let migrated = try fixture.store.common.collection(next, onDifference: .adopt)
        var steps = 0
        let report = try migrated.migrate { (_) in steps += 1 }
        #expect(report.examined == 6 && report.migrated == 6 && steps > 1)
        #expect(try migrated.query(#Predicate { $0.rank == 3 }).count() == 6)
        #expect(try migrated.verify().isSound)
        #expect(code { () throws(StorageError) in try notes.insert(Note()) } == .schemaMismatch)
    }

    struct Wide: Codable, Sendable, Equatable {
        var key: String
        var a, b, c, d, e, f, g, h: String

        init(_ key: String, _ text: String) {
            self.key = key
            (a, b, c, d, e, f, g, h) = (text, text, text, text, text, text, text, text)
        }

        static let schema = RecordSchema<Wide>(
            key: \.key,
            fields: [
                RecordField("key", \.key), RecordField("a", \.a), RecordField("b", \.b), RecordField("c", \.c),
                RecordField("d", \.d), RecordField("e", \.e), RecordField("f", \.f), RecordField("g", \.g),
                RecordField("h", \.h),
            ],
            indexes: [
                RecordIndex(
                    "all", .ascending(\.a), .descending(\.b), .ascending(\.c), .descending(\.d), .ascending(\.e),
                    .descending(\.f), .ascending(\.g), .descending(\.h))
            ])
    }

    @Test func eightLongColumnsAndALongPrimaryKeyFitIntoAKey() throws {
        let wide = try fixture.store.common.collection(Wide.schema)
        // Each NUL takes two bytes in a key.
        let text = String(repeating: "\0", count: 100_000)
        let keys = ["1", "2"].map { String(repeating: "\0", count: 1000) + $0 }
        for key in keys { try wide.insert(Wide(key, text)) }
        let query = wide.query(#Predicate { $0.a == text && $0.b == text })
        #expect(try query.explain().source == .index)
        #expect(try query.records().map(\.key) == keys)
        let index = wide.namespace.child(".index").child("1")
        #expect(try index.keys.array().allSatisfy { $0.bytes.count > 10_000 && $0.bytes.count <= 16 << 10 })
        #expect(try wide.verify().isSound)
    }

    @Test func aTransactionSeesItsOwnLongUniqueValues() throws {
        let schema = RecordSchema<Note>("long", fields: [RecordField("text", \.text, .unique)])
        let notes = try fixture.store.common.collection(schema)
        let long = Note(text: String(repeating: "a", count: 2000))
        let found = violation { () throws(StorageError) in try notes.insert(contentsOf: [long, long]) }
        #expect(found?.field == "text")
        #expect(try notes.count() == 0)
        #expect(try notes.verify().entries == 0)
    }

    @Test func bothZerosOfADateAreOneValue() throws {
        struct Event: Codable, Sendable { var id: Int, day: Date }
        let schema = RecordSchema<Event>(
            key: \.id, fields: [RecordField("id", \.id), RecordField("day", \.day, .unique)])
        try fixture.reopen { $0.codableFormat = .propertyList }
        let events = try fixture.store.common.collection(schema)
        let (zero, negative) = (Date(timeIntervalSinceReferenceDate: 0), Date(timeIntervalSinceReferenceDate: -0.0))
        try events.insert(Event(id: 1, day: negative))
        #expect(try events.query(#Predicate { $0.day == zero }).count() == 1)
        #expect(try events.query(#Predicate { $0.day == zero }).records().count == 1)
        let found = violation { () throws(StorageError) in try events.insert(Event(id: 2, day: zero)) }
        #expect(found?.field == "day")
    }
}
