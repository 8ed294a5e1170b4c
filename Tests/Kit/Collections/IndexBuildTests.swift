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

/// Indexes that are built from the bytes of records are those that the records have.
@Suite struct IndexBuildTests {
    private let fixture: CollectionFixture

    init() throws { fixture = try CollectionFixture() }

    private struct Item: Codable, Sendable {
        var id: Int
        var text: String?
        var number: Int?
        var real = 0.0
        var flag = false
        var date = Date(timeIntervalSinceReferenceDate: 0)
        var uuid = UUID()
        var small: Int16 = 0

        static let fields: [RecordField<Item>] = [
            RecordField("id", \.id), RecordField("text", \.text), RecordField("number", \.number),
            RecordField("real", \.real), RecordField("flag", \.flag), RecordField("date", \.date),
            RecordField("uuid", \.uuid), RecordField("small", \.small),
        ]

        static func schema(_ indexes: [RecordIndex<Item>]) -> RecordSchema<Item> {
            RecordSchema("items", key: \.id, fields: fields, indexes: indexes)
        }

        static let all = [
            RecordIndex("text", .ascending(\Item.text), .descending(\.number)),
            RecordIndex("number", .descending(\Item.number), isUnique: true),
            RecordIndex("real", .ascending(\Item.real), .ascending(\.flag), .ascending(\.date)),
            RecordIndex("uuid", .descending(\Item.uuid), isUnique: true),
            RecordIndex("small", .ascending(\Item.small), .ascending(\.text)),
        ]
    }

    private func filled(_ count: Int) throws {
        let items = try fixture.store.common.collection(Item.schema([]))
        let reals = [0.0, -0.0, .nan, .infinity, -1.5, 3]
        let texts = ["", "a", "\u{0}b", String(repeating: "long", count: 200), nil]
        try items.insert(
            contentsOf: (0..<count).map { (id) -> Item in
                var item = Item(id: id, text: texts[id % texts.count], number: id % 7 == 0 ? nil : id - 50)
                item.real = reals[id % reals.count]
                item.flag = id % 2 == 0
                item.date = Date(timeIntervalSinceReferenceDate: id % 3 == 0 ? -0.0 : Double(id) / 3)
                item.small = Int16(id % 5)
                return item
            })
    }

    @Test func allKindsOfValuesHaveTheirEntries() throws {
        try filled(400)
        let items = try fixture.store.common.collection(Item.schema(Item.all), onDifference: .adopt)
        let report = try items.migrate()
        #expect(report.examined == 400 && report.failures.isEmpty)
        let found = try items.verify()
        #expect(found.isSound && found.staleEntries == 0 && found.entries == 400 * Item.all.count)
        #expect(try items.query(#Predicate { $0.real == 3 }).explain().source == .index)
    }

    @Test func optionsOfRecordsAreThoseOfTheirEntries() throws {
        let items = try fixture.store.common.collection(Item.schema([]))
        for id in 0..<9 {
            let options: ValueOptions = id % 3 == 0 ? .purgeable : id % 3 == 1 ? .expires(after: .seconds(60)) : []
            try items.insert(Item(id: id, text: "t", number: id), options: options)
        }
        let indexed = try fixture.store.common.collection(Item.schema(Item.all), onDifference: .adopt)
        try indexed.migrate()
        #expect(try indexed.verify().isSound)
        fixture.time.advance(milliseconds: 60_000)
        #expect(try indexed.query(#Predicate { $0.text == "t" }).count() == 6)
        #expect(try indexed.verify().entries == 6 * Item.all.count)
    }

    @Test func twoRecordsWithOneUniqueValueAreAViolation() throws {
        let items = try fixture.store.common.collection(Item.schema([]))
        try items.insert(contentsOf: (0..<300).map { Item(id: $0, number: $0 == 299 ? 7 : $0) })
        let indexed = try fixture.store.common.collection(Item.schema(Item.all), onDifference: .adopt)
        #expect(violation { () throws(StorageError) in try indexed.migrate() }?.field == "number")
        try indexed.modify(RecordKey(299)) { $0.number = 299 }
        try indexed.migrate()
        #expect(try indexed.verify().isSound)
    }

    /// The property that does not decode is in no index, so the index misses nothing.
    @Test func aRecordWhoseOtherPropertiesDoNotDecodeHasItsEntries() throws {
        let fields = Person.schema.fields
        let plain = try fixture.store.common.collection(RecordSchema<Person>("p", key: \.id, fields: fields))
        try plain.insert(contentsOf: (0..<200).map { Person(id: $0, name: "n", age: $0) })
        for id in [0, 150] {
            let payload = try RecordBytes.payload(
                version: 1,
                fields: [("id", .int(Int64(id))), ("name", .string("n")), ("age", .int(5)), ("city", .string("Lund"))])
            try plain.namespace.setPayload(payload.bytes, codec: payload.codec, forKey: RecordKey(id).bytes)
        }
        let people = try fixture.store.common.collection(
            RecordSchema<Person>(
                "p", key: \.id, fields: fields, indexes: [RecordIndex("byCity", .ascending(\Person.city))]),
            onDifference: .adopt)
        #expect(try people.migrate().failures.isEmpty)
        let page = try people.query(#Predicate { $0.city == "Lund" }).page()
        #expect(page.records.count == 198)
        #expect(page.failures.map(\.key) == [try RecordKey(0), try RecordKey(150)])
        #expect(try people.verify().indexes[0].entries == 200)
    }

    /// A missing property is left to the type, which may have a default for it.
    @Test func defaultsOfTheTypeAreIndexed() throws {
        struct Lenient: Codable, Sendable {
            var id: Int
            var city: String
            enum CodingKeys: String, CodingKey { case id, city }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                id = try container.decode(Int.self, forKey: .id)
                city = try container.decodeIfPresent(String.self, forKey: .city) ?? "unknown"
            }
        }
        func schema(_ indexes: [RecordIndex<Lenient>]) -> RecordSchema<Lenient> {
            RecordSchema(
                "l", key: \.id, fields: [RecordField("id", \.id), RecordField("city", \.city)], indexes: indexes)
        }
        let plain = try fixture.store.common.collection(schema([]))
        for id in 0..<150 {
            var fields: [(name: String, element: CompositeKey.Element)] = [("id", .int(Int64(id)))]
            if id % 2 == 1 { fields.append(("city", .string("Lund"))) }
            let payload = try RecordBytes.payload(version: 1, fields: fields)
            try plain.namespace.setPayload(payload.bytes, codec: payload.codec, forKey: RecordKey(id).bytes)
        }
        let indexed = try fixture.store.common.collection(
            schema([RecordIndex("byCity", .ascending(\Lenient.city))]), onDifference: .adopt)
        try indexed.migrate()
        #expect(try indexed.query(#Predicate { $0.city == "unknown" }).count() == 75)
        #expect(try indexed.verify().isSound)
    }

    /// ``RecordField`` says that documents have the values of stored properties. The first record shows if they don't.
    @Test func aTypeThatDecodesOtherValuesThanItsDocumentsHaveIsDecoded() throws {
        struct Shouting: Codable, Sendable {
            var id: Int
            var city: String
            enum CodingKeys: String, CodingKey { case id, city }
            init(id: Int, city: String) { (self.id, self.city) = (id, city) }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                id = try container.decode(Int.self, forKey: .id)
                city = try container.decode(String.self, forKey: .city).uppercased()
            }
        }
        func schema(_ indexes: [RecordIndex<Shouting>]) -> RecordSchema<Shouting> {
            RecordSchema(
                "s", key: \.id, fields: [RecordField("id", \.id), RecordField("city", \.city)], indexes: indexes)
        }
        let plain = try fixture.store.common.collection(schema([]))
        try plain.insert(contentsOf: (0..<200).map { Shouting(id: $0, city: "lund") })
        let indexed = try fixture.store.common.collection(
            schema([RecordIndex("byCity", .ascending(\Shouting.city))]), onDifference: .adopt)
        try indexed.migrate()
        #expect(try indexed.query(#Predicate { $0.city == "LUND" }).count() == 200)
        #expect(try indexed.verify().isSound)
    }

    /// Records before the one that shows it have their entries too.
    @Test func aTypeThatDecodesSomeValuesOtherwiseIsDecodedFromTheBeginning() throws {
        struct Renaming: Codable, Sendable {
            var id: Int
            var city: String
            enum CodingKeys: String, CodingKey { case id, city }
            init(id: Int, city: String) { (self.id, self.city) = (id, city) }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                id = try container.decode(Int.self, forKey: .id)
                city = try container.decode(String.self, forKey: .city)
                if city == "Christiania" { city = "Oslo" }
            }
        }
        func schema(_ indexes: [RecordIndex<Renaming>]) -> RecordSchema<Renaming> {
            RecordSchema(
                "r", key: \.id, fields: [RecordField("id", \.id), RecordField("city", \.city)], indexes: indexes)
        }
        let plain = try fixture.store.common.collection(schema([]))
        // The last one is the first of the second step.
        let old = [1, 5, 63, 127, 128]
        try plain.insert(
            contentsOf: (0..<400).map { Renaming(id: $0, city: old.contains($0) ? "Christiania" : "Lund") })
        let indexed = try fixture.store.common.collection(
            schema([RecordIndex("byCity", .ascending(\Renaming.city))]), onDifference: .adopt)
        try indexed.migrate()
        #expect(try indexed.query(#Predicate { $0.city == "Oslo" }).keys() == old.map { try RecordKey($0) })
        #expect(try indexed.query(#Predicate { $0.city == "Lund" }).count() == 400 - old.count)
        #expect(try indexed.verify().isSound)
    }

    @Test func writersContinueBesideABuild() throws {
        try filled(500)
        let items = try fixture.store.common.collection(Item.schema(Item.all), onDifference: .adopt)
        var step = 0
        try items.migrate { (_) throws(StorageError) in
            step += 1
            for id in [step, 499 - step] { try items.modify(RecordKey(id)) { $0.text = "changed" } }
            try items.delete(RecordKey(250 + step))
            try items.insert(Item(id: 10_000 + step, text: "new", number: 10_000 + step))
        }
        let report = try items.verify()
        #expect(report.isSound && report.staleEntries == 0 && report.entries == report.records * Item.all.count)
    }

    @Test func anInterruptedBuildContinuesWhereItStopped() throws {
        try filled(500)
        let items = try fixture.store.common.collection(Item.schema(Item.all), onDifference: .adopt)
        let stopped = code { () throws(StorageError) in
            try items.migrate { (_) throws(StorageError) in throw StorageError(.cancelled, "stop") }
        }
        #expect(stopped == .cancelled)
        try fixture.reopen()
        let again = try fixture.store.common.collection(Item.schema(Item.all), onDifference: .adopt)
        #expect(try again.migrate().examined == 372)
        let found = try again.verify()
        #expect(found.isSound && found.entries == 500 * Item.all.count)
    }
}
