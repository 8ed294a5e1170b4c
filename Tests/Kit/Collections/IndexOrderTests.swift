import Shale
import ShaleCollections
import ShalePlatform
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The order of index keys: collections.md, section 3, "Order-preserving, self-delimiting encoding", and "long indexed
/// text is stored as a prefix and a hash".
@Suite struct IndexOrderTests {
    struct Sample: Codable, Sendable, Equatable {
        var real: Double?
        var integer: Int?
        var unsigned: UInt64 = 0
        var text: String?
        var bytes: [UInt8]?
        var flag: Bool?
        var date: Date?
        var uuid: UUID?

        static let fields: [RecordField<Sample>] = [
            RecordField("real", \.real), RecordField("integer", \.integer), RecordField("unsigned", \.unsigned),
            RecordField("text", \.text),
            RecordField("bytes", \.bytes), RecordField("flag", \.flag), RecordField("date", \.date),
            RecordField("uuid", \.uuid),
        ]
        static let indexes: [RecordIndex<Sample>] = [
            RecordIndex("real", .ascending(\.real)), RecordIndex("integer", .ascending(\.integer)),
            RecordIndex("unsigned", .descending(\.unsigned)), RecordIndex("text", .ascending(\.text)),
            RecordIndex("bytes", .descending(\.bytes)), RecordIndex("flag", .ascending(\.flag)),
            RecordIndex("date", .ascending(\.date)),
            RecordIndex("uuid", .ascending(\.uuid)),
            RecordIndex("compound", .descending(\.text), .ascending(\.integer)),
        ]
    }

    private let fixture: CollectionFixture

    init() throws { fixture = try CollectionFixture { $0.codableFormat = .propertyList } }

    /// Returns a collection with indexes and one without, with the same records under the same keys.
    private func twins(_ samples: [Sample]) throws -> (RecordCollection<Sample>, RecordCollection<Sample>) {
        let indexed = try fixture.store.common.collection(
            RecordSchema("indexed", fields: Sample.fields, indexes: Sample.indexes))
        let plain = try fixture.store.common.collection(RecordSchema("plain", fields: Sample.fields))
        for sample in samples {
            let key = try indexed.insert(sample)
            try fixture.store.transaction { (transaction) throws(StorageError) in
                let namespace = plain.namespace
                try transaction.set(
                    sample, forKey: key.bytes, in: namespace, using: VersionedCodec(Sample.self, as: .propertyList))
            }
        }
        return (indexed, plain)
    }

    private func expectSameOrder(
        _ samples: [Sample], _ orders: [RecordOrder<Sample>], _ place: SourceLocation = #_sourceLocation
    ) throws {
        let (indexed, plain) = try twins(samples)
        for order in orders {
            // With a limit the index is read in its order; without an index everything is sorted.
            let streamed = indexed.query().ordered(by: order).limit(samples.count)
            #expect(try streamed.explain().isSorted == false, sourceLocation: place)
            let sorted = plain.query().ordered(by: order)
            #expect(try sorted.explain().isSorted, sourceLocation: place)
            #expect(try streamed.keys() == sorted.keys(), sourceLocation: place)
        }
    }

    @Test func numbersAreOrderedByValueWithNaNLast() throws {
        let reals: [Double?] = [
            .nan, 0, -0.0, 1, -1, .infinity, -.infinity, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, 1e300, nil,
            -(.nan),
        ]
        let integers: [Int?] = [
            0, -1, 1, 255, 256, -255, -256, -257, .max, .min, nil, 65_535, 65_536, -65_536, 1 << 32, -(1 << 32),
        ]
        let unsigned: [UInt64] = [0, 1, UInt64(Int64.max), UInt64(Int64.max) + 1, .max]
        var samples = reals.map { Sample(real: $0) }
        samples += integers.map { Sample(integer: $0) }
        samples += unsigned.map { Sample(unsigned: $0) }
        try expectSameOrder(
            samples,
            [
                .ascending(\.real), .descending(\.real), .ascending(\.integer), .descending(\.integer),
                .ascending(\.unsigned), .descending(\.unsigned),
            ])
        let all = fixture.store.common
        let indexed = try all.collection(RecordSchema("indexed", fields: Sample.fields, indexes: Sample.indexes))
        let ordered = try indexed.query(#Predicate { $0.real != nil }).ordered(by: .ascending(\.real)).values(
            of: \.real)
        #expect(ordered.suffix(2).allSatisfy { $0?.isNaN == true })
        #expect(ordered.dropLast(2).compactMap(\.self) == reals.compactMap(\.self).filter { !$0.isNaN }.sorted())
        let whole = indexed.query(#Predicate { $0.integer != nil }).ordered(by: .ascending(\.integer))
        #expect(try whole.values(of: \.integer).compactMap(\.self) == integers.compactMap(\.self).sorted())
    }

    @Test func zeroFindsBothZerosAndNaNFindsNothing() throws {
        let (indexed, plain) = try twins([0.0, -0.0, .nan, 1].map { Sample(real: $0) })
        for collection in [indexed, plain] {
            #expect(try collection.query(#Predicate { $0.real == 0.0 }).count() == 2)
            let negative = -0.0
            #expect(try collection.query(#Predicate { $0.real == negative }).count() == 2)
            let none = Double.nan
            #expect(try collection.query(#Predicate { $0.real == none }).count() == 0)
            #expect(try collection.query(#Predicate { ($0.real ?? 0) > 0.5 }).count() == 1)
        }
    }

    @Test func textIsOrderedByItsBytes() throws {
        let texts: [String?] = [
            "", "\0", "a", "a\0", "a\0b", "a\u{1}", "a\u{1}b", "ab", "\u{e9}", "e\u{301}", "z", "\u{10FFFF}", "A", nil,
            "a\u{2}",
        ]
        try expectSameOrder(
            texts.map { Sample(text: $0) } + texts.map { Sample(bytes: $0.map { Array($0.utf8) }) },
            [.ascending(\.text), .descending(\.text), .ascending(\.bytes), .descending(\.bytes)])
        let indexed = try fixture.store.common.collection(
            RecordSchema("indexed", fields: Sample.fields, indexes: Sample.indexes))
        for text in texts.compactMap(\.self) {
            #expect(try indexed.query(#Predicate { $0.text == text }).count() == 1, "\(Array(text.utf8))")
        }
        #expect(try indexed.query(#Predicate { $0.text == nil }).count() == texts.count + 1)
    }

    @Test func longTextIsFoundAndOrderedExactly() throws {
        let start = String(repeating: "a", count: 511)
        let texts = ["", "a", "aa", "ab", "b", "é", "\0"].flatMap { [start + $0, start + "a" + $0 + "tail", $0] }
        try expectSameOrder(
            texts.map { Sample(text: $0) } + texts.map { Sample(bytes: Array($0.utf8)) },
            [.ascending(\.text), .descending(\.text), .ascending(\.bytes), .descending(\.bytes)])
        let indexed = try fixture.store.common.collection(
            RecordSchema("indexed", fields: Sample.fields, indexes: Sample.indexes))
        for text in texts {
            let equal = indexed.query(#Predicate { $0.text == text })
            #expect(try equal.count() == texts.count { $0 == text })
            #expect(try equal.explain().source == .index)
        }
        let bound = start + "aa"
        let below = texts.count { $0.utf8.lexicographicallyPrecedes(bound.utf8) }
        #expect(try indexed.query(#Predicate { ($0.text ?? "~") < bound }).count() == below)
        // Pages break between neighbours whose values were cut at the same place.
        let order = indexed.query().ordered(by: .ascending(\.text)).limit(2)
        var (cursor, seen): (QueryCursor?, [RecordKey]) = (nil, [])
        repeat {
            let page = try order.after(cursor).page()
            seen += page.keys
            cursor = page.next
        } while cursor != nil
        #expect(try seen == order.limit(.max).keys())
    }

    @Test func longUniqueTextIsComparedAsAWhole() throws {
        let schema = RecordSchema<Note>("long", fields: [RecordField("text", \.text, .unique)])
        let notes = try fixture.store.common.collection(schema)
        let start = String(repeating: "a", count: 20_000)
        try notes.insert(Note(text: start + "1"))
        try notes.insert(Note(text: start + "2"))
        let found = violation { () throws(StorageError) in try notes.insert(Note(text: start + "1")) }
        #expect(found?.field == "text")
        #expect(try notes.find(\.text, start + "2") != nil)
        #expect(try notes.find(\.text, start + "3") == nil)
        #expect(try notes.verify().isSound)
    }

    @Test func otherKindsAreOrdered() throws {
        let dates = [0.0, -1, 1e9, -1e9, 0.5].map { Sample(date: Date(timeIntervalSinceReferenceDate: $0)) }
        let flags = [true, false, nil].map { Sample(flag: $0) }
        let uuids = (0..<5).map { _ in Sample(uuid: UUID()) }
        try expectSameOrder(
            dates + flags + uuids, [.ascending(\.date), .descending(\.date), .ascending(\.flag), .ascending(\.uuid)])
    }

    @Test func tooLongPrimaryKeysAreRefused() throws {
        struct Named: Codable, Sendable { var name: String }
        let schema = RecordSchema<Named>(key: \.name, fields: [RecordField("name", \.name)])
        let named = try fixture.store.common.collection(schema)
        #expect(
            code { () throws(StorageError) in try named.insert(Named(name: String(repeating: "a", count: 3000))) }
                == .invalidArgument)
        try named.insert(Named(name: String(repeating: "\0", count: 1000)))
        #expect(try named.count() == 1)
    }
}
