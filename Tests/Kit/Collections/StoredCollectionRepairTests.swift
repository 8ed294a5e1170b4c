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

/// Indexes that disagree with their records are found and rebuilt without the Swift type.
@Suite struct StoredCollectionRepairTests {
    private let fixture: CollectionFixture
    private let people: RecordCollection<Person>

    init() throws {
        fixture = try CollectionFixture()
        people = try fixture.filled(300)
    }

    private var stored: StoredCollection {
        get throws { try #require(try fixture.store.common.storedCollection("Person")) }
    }

    private func index(_ name: String) throws -> Store.Namespace {
        try #require(try stored.indexes.first { $0.name == name }).namespace
    }

    @Test func aSoundCollectionAgrees() throws {
        let found = try stored.verify()
        #expect(found.isSound && found.unsoundIndexes.isEmpty)
        #expect(found.records == 300 && found.entries == 1200)
        #expect(found.indexes.map(\.name) == ["byAge", "byCity", "byScore", "email"])
    }

    @Test func missingEntriesAreFoundAndBuiltAgain() throws {
        let byAge = try index("byAge")
        for key in try byAge.keys.array(limit: 5) { try byAge.remove(key) }
        let lost = try people.query(#Predicate { $0.age == 0 }).records().count
        #expect(lost < 3)
        let found = try stored.verify()
        #expect(found.unsoundIndexes == ["byAge"] && found.missingEntries == 5)
        let numbers = try stored.indexes.map(\.namespace.name)
        try stored.rebuildIndexes(found.unsoundIndexes)
        #expect(try stored.verify().isSound)
        #expect(try people.verify().isSound)
        #expect(try people.query(#Predicate { $0.age == 0 }).records().count == 3)
        // The other indexes stay as they are.
        #expect(try stored.indexes.map(\.namespace.name).dropFirst() == numbers.dropFirst())
        #expect(try !byAge.exists)
    }

    @Test func anInvalidEntryIsFoundAndBuiltAgain() throws {
        let byCity = try index("byCity")
        let key = try #require(try byCity.keys.first())
        try byCity.set("no entry", forKey: key)
        try byCity.set([9, 9] as [UInt8], forKey: [0xff, 1] as [UInt8])
        let found = try stored.verify()
        #expect(found.unsoundIndexes == ["byCity"])
        #expect(found.indexes[1].invalidEntries == 2 && found.indexes[1].missingEntries == 1)
        try stored.rebuildIndexes()
        #expect(try stored.verify().isSound)
    }

    @Test func staleEntriesAreRemoved() throws {
        let first = try #require(try people.namespace.keys.first())
        try people.namespace.remove(first)
        #expect(try stored.verify().staleEntries == 4)
        #expect(try stored.removeStaleEntries() == 4)
        #expect(try stored.verify().staleEntries == 0)
    }

    @Test func aRecordThatCanNotBeDecodedIsLeftOut() throws {
        try people.namespace.set("damaged", forKey: RecordKey(7).bytes)
        let report = try stored.rebuildIndexes(["byAge"])
        #expect(report.failures.count == 1 && report.examined == 300)
        #expect(try stored.query(where: "age = 7").records().count == 2)
    }

    @Test func fieldsThatAreNotInTheDocumentsAreLeftToTheType() throws {
        struct Box: Codable, Sendable {
            var id: Int
            var width: Int
            var area: Int { width * width }
            enum CodingKeys: String, CodingKey { case id, width, area }
            init(id: Int, width: Int) { (self.id, self.width) = (id, width) }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                id = try container.decode(Int.self, forKey: .id)
                width = try container.decode(Int.self, forKey: .width)
                _ = try container.decodeIfPresent(Int.self, forKey: .area)
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(id, forKey: .id)
                try container.encode(width, forKey: .width)
            }
        }
        let schema = RecordSchema<Box>(
            key: \.id, fields: [RecordField("id", \.id), RecordField("area", \.area)],
            indexes: [RecordIndex("byArea", .ascending(\.area))])
        let boxes = try fixture.store.common.collection(schema)
        try boxes.insert(Box(id: 1, width: 3))
        let untyped = try #require(try fixture.store.common.storedCollection("Box"))
        #expect(try untyped.query().page().failures.count == 1)
        #expect(code { () throws(StorageError) in try untyped.rebuildIndexes() } == .schemaMismatch)
        #expect(try boxes.query(#Predicate { $0.area == 9 }).explain().source == .index)
        #expect(try boxes.verify().isSound)
    }

    @Test func aNameThatIsNoIndexIsAnError() throws {
        let stored = try stored
        #expect(code { () throws(StorageError) in try stored.rebuildIndexes(["byHeight"]) } == .invalidArgument)
        #expect(try stored.verify().isSound)
    }

    @Test func anInterruptedRebuildContinues() throws {
        let opened = try stored
        let stopped = code { () throws(StorageError) in
            try opened.rebuildIndexes(["byAge"]) { (_) throws(StorageError) in
                throw StorageError(.cancelled, "stopped")
            }
        }
        #expect(stopped == .cancelled)
        #expect(try stored.indexes.map(\.isReady) == [false, true, true, true])
        #expect(try stored.query(where: "age = 7").records().count == 3)
        try people.migrate()
        #expect(try stored.indexes.allSatisfy(\.isReady))
        #expect(try stored.verify().isSound)
    }
}
