import Shale
import TestSupport
import Testing

@testable import ShaleCollections

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Records without their Swift type.
@Suite struct RecordBytesTests {
    private struct Item: Codable, Sendable, Equatable {
        var id: UUID
        var name: String
        var count: UInt64
        var ratio: Float
        var isOn: Bool
        var when: Date
        var blob: Data
        var note: String?
    }

    private static let item = Item(
        id: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)), name: "é", count: .max, ratio: 0.5,
        isOn: true, when: Date(timeIntervalSinceReferenceDate: 5), blob: Data([1, 2]), note: nil)

    private static func schema(_ codec: VersionedCodec<Item>) -> RecordSchema<Item> {
        RecordSchema(
            codec: codec, key: \.id,
            fields: [
                RecordField("id", \.id), RecordField("name", \.name), RecordField("count", \.count),
                RecordField("ratio", \.ratio), RecordField("isOn", \.isOn), RecordField("when", \.when),
                RecordField("blob", \.blob), RecordField("note", \.note),
            ])
    }

    @Test func recordsAreCompactUnlessTheCodecNamesAFormat() throws {
        let fixture = try CollectionFixture()
        let people = try fixture.filled(1)
        let stored = try #require(try people.namespace.payload(forKey: try RecordKey(0).bytes))
        #expect(stored.codec == .versioned && stored.bytes.prefix(6) == [1, 0, 0, 0, 20, 0x0D])
        let other = try fixture.store.user("u").collection(Self.schema(VersionedCodec(Item.self, as: .json)))
        try other.insert(Self.item)
        let json = try #require(try other.namespace.payload(forKey: try RecordKey(Self.item.id).bytes))
        #expect(json.bytes.prefix(6) == [1, 0, 0, 0, 16, UInt8(ascii: "{")])
        #expect(try other.find(Self.item.id) == Self.item)
    }

    @Test(arguments: [CodableFormat.compact, .json, .propertyList])
    func eachFieldIsReadWithoutTheType(_ format: CodableFormat) throws {
        let fixture = try CollectionFixture()
        let schema = Self.schema(VersionedCodec(Item.self, version: 3, as: format))
        let items = try fixture.store.common.collection(schema)
        try items.insert(Self.item)
        let payload = try #require(try items.namespace.payload(forKey: try RecordKey(Self.item.id).bytes))
        let record = try RecordBytes(codec: payload.codec, bytes: payload.bytes)
        #expect(record.version == 3)
        for field in schema.fields {
            #expect(try record.element(of: field.name, as: field.kind) == field.element(Self.item), "\(field.name)")
        }
        #expect(try record.element(of: "absent", as: .text) == .null)
        #expect(code { () throws(StorageError) in try record.element(of: "name", as: .integer) } == .codecFailure)
        #expect(try Set(record.names()) == ["id", "name", "count", "ratio", "isOn", "when", "blob"])
        guard case .dictionary(let members) = try record.tree() else { throw StorageError(.codecFailure, "no object") }
        #expect(members["name"] == "é" && members["isOn"] == true)
    }

    @Test func aRecordIsMadeOfUntypedFields() throws {
        let fixture = try CollectionFixture()
        let items = try fixture.store.common.collection(Self.schema(VersionedCodec(Item.self)))
        let (codec, bytes) = try RecordBytes.payload(
            version: 1, fields: items.schema.fields.map { ($0.name, $0.element(Self.item)) })
        try items.namespace.setPayload(bytes, codec: codec, forKey: try RecordKey(Self.item.id).bytes)
        #expect(try items.find(Self.item.id) == Self.item)
        let twice = code { () throws(StorageError) in
            try RecordBytes.payload(version: 1, fields: [("a", .int(1)), ("a", .int(2))])
        }
        #expect(twice == .codecFailure)
    }

    @Test func aNumberOfTheOtherKindCountsIfNothingIsLost() throws {
        let odd = Int64(1) << 53 + 1
        let (codec, bytes) = try RecordBytes.payload(
            version: 1,
            fields: [("small", .int(3)), ("odd", .int(odd)), ("whole", .double(2)), ("half", .double(2.5))])
        let record = try RecordBytes(codec: codec, bytes: bytes)
        #expect(try record.element(of: "small", as: .real) == .double(3))
        #expect(try record.element(of: "whole", as: .integer) == .int(2))
        for (name, kind) in [("odd", FieldKind.real), ("odd", .date), ("half", .integer)] {
            #expect(code { () throws(StorageError) in try record.element(of: name, as: kind) } == .codecFailure)
        }
        // Collections without their type read the same.
        #expect(FieldKind.real.element(of: .int(3)) == .double(3))
        #expect(FieldKind.real.element(of: .int(odd)) == nil && FieldKind.real.element(of: .unsigned(.max)) == nil)
        #expect(FieldKind.integer.element(of: .double(-0.0)) == .int(0))
        #expect(FieldKind.integer.element(of: .double(0x1p63)) == .unsigned(1 << 63))
        #expect(FieldKind.integer.element(of: .double(.nan)) == nil)
    }

    @Test func damagedRecordsGiveTypedErrors() throws {
        #expect(code { () throws(StorageError) in try RecordBytes(codec: .versioned, bytes: [1]) } == .corruption)
        let cut = try RecordBytes(codec: .versioned, bytes: [1, 0, 0, 0, 20, 0x0D, 9, 0, 0, 0])
        #expect(code { () throws(StorageError) in try cut.element(of: "a", as: .text) } == .corruption)
        #expect(code { () throws(StorageError) in try cut.tree() } == .corruption)
        #expect(code { () throws(StorageError) in try cut.names() } == .corruption)
    }
}
