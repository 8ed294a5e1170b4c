import Shale
import ShaleCollections
import ShaleEngine
import ShalePlatform
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A store in memory that lasts as long as the fixture, so that it can be reopened.
final class CollectionFixture {
    let time = ManualTime()
    private let memory = MemoryFileSystem()
    private var options = Store.Options()
    private(set) var store: Store

    init(_ change: (inout Store.Options) -> Void = { _ in }) throws {
        options.engine.time = time
        options.engine.syncInterval = nil
        change(&options)
        store = try Store(at: "/store", options: options, environment: EngineEnvironment(fileSystem: memory))
    }

    deinit {
        do { try store.close() } catch { Issue.record("the store can't be closed: \(error)") }
    }

    func reopen(_ change: (inout Store.Options) -> Void = { _ in }) throws {
        try store.close()
        change(&options)
        store = try Store(at: "/store", options: options, environment: EngineEnvironment(fileSystem: memory))
    }

    func people(
        onDifference: RecordCollection<Person>.SchemaChange = .refuse
    ) throws -> RecordCollection<Person> {
        try store.common.collection(Person.schema, onDifference: onDifference)
    }

    /// A collection with `count` people: ages 0 … 99 in turn, cities of two, e-mail addresses of every second.
    func filled(_ count: Int) throws -> RecordCollection<Person> {
        let people = try people()
        for start in stride(from: 0, to: count, by: 500) {
            try people.insert(contentsOf: (start..<min(count, start + 500)).map(Person.numbered))
        }
        return people
    }
}

struct Person: Codable, Sendable, Equatable {
    var id: Int
    var name: String
    var email: String?
    var age: Int
    var city = "Lund"
    var score = 0.0

    static let schema = RecordSchema<Person>(
        key: \.id,
        fields: [
            RecordField("id", \.id), RecordField("name", \.name), RecordField("email", \.email, .unique),
            RecordField("age", \.age),
            RecordField("city", \.city), RecordField("score", \.score),
        ],
        indexes: [
            RecordIndex("byAge", .ascending(\.age), .descending(\.name)),
            RecordIndex("byCity", .ascending(\.city), .ascending(\.name)),
            RecordIndex("byScore", .descending(\.score)),
        ])

    static func numbered(_ number: Int) -> Person {
        Person(
            id: number, name: "n\(number % 7)", email: number % 2 == 0 ? "e\(number)@example.org" : nil,
            age: number % 100, city: number % 3 == 0 ? "Oslo" : "Lund", score: Double(number) / 4)
    }
}

/// A record without a key of its own.
struct Note: Codable, Sendable, Equatable {
    var text: String?
    var rank: Int?
    var data: [UInt8]?

    static let schema = RecordSchema<Note>(
        "notes",
        fields: [RecordField("text", \.text), RecordField("rank", \.rank), RecordField("data", \.data)],
        indexes: [
            RecordIndex("byText", .ascending(\.text)), RecordIndex("byRank", .descending(\.rank), .ascending(\.text)),
        ])
}

/// Returns the violation that `body` ends with; `nil` if it ends without one.
func violation<R>(_ body: () throws(StorageError) -> R) -> ConstraintViolation? {
    do {
        _ = try body()
        return nil
    } catch {
        if error.constraintViolation == nil { Issue.record("no violation: \(error)") }
        return error.constraintViolation
    }
}

extension [UInt8] {
    /// Appends a piece of a dump.
    mutating func append(_ piece: RawSpan) { unsafe piece.withUnsafeBytes { unsafe append(contentsOf: $0) } }
}
