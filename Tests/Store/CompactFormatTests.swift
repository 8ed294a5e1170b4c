import Foundation
import TestSupport
import Testing

@testable import Shale

/// The bytes of compact documents, and the readers that know no type.
@Suite struct CompactFormatTests {
    private struct Sample: Codable, Equatable {
        struct Inner: Codable, Equatable { var on: Bool }

        var id = 300
        var name = "Ada"
        var ratio = 0.5
        var below = -1
        var tags = ["x"]
        var inner = Inner(on: true)
        var key = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
        var blob = Data([9])
        var when = Date(timeIntervalSinceReferenceDate: 2)
        var ratios: [Float] = [1.5]
        var site = URL(string: "a:b")
    }

    /// On disk, do not change.
    private static let fields: [(name: String, value: [UInt8])] = [
        ("id", [0x11, 0x2C, 0x01]),
        ("name", [0x83, 0x41, 0x64, 0x61]),
        ("ratio", [0x03, 0, 0, 0, 0, 0, 0, 0xE0, 0x3F]),
        ("below", [0x18, 0]),
        ("tags", [0x0C, 2, 0, 0, 0, 0x81, 0x78]),
        ("inner", [0x0D, 4, 0, 0, 0, 0x82, 0x6F, 0x6E, 0x02]),
        ("key", [0x06, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]),
        ("blob", [0x0A, 1, 0, 0, 0, 9]),
        ("when", [0x05, 0, 0, 0, 0, 0, 0, 0, 0x40]),
        ("ratios", [0x0C, 5, 0, 0, 0, 0x04, 0, 0, 0xC0, 0x3F]),
        ("site", [0x0B, 3, 0, 0, 0, 0x61, 0x3A, 0x62]),
    ]

    private static let golden: [UInt8] = {
        let content = fields.flatMap { (name, value) in [0x80 + UInt8(name.utf8.count)] + Array(name.utf8) + value }
        return [0x0D, 0x8D, 0, 0, 0] + content
    }()

    @Test func theBytesOfARecordAreAsDocumented() throws {
        #expect(try Compact.bytes(Sample()) == Self.golden)
        #expect(try Compact.value(Self.golden) == Sample())
    }

    @Test func theBytesOfSingleValuesAreAsDocumented() throws {
        #expect(try Compact.bytes(0) == [0x40] && Compact.bytes(63) == [0x7F] && Compact.bytes(64) == [0x10, 64])
        #expect(try Compact.bytes(Int?.none) == [0] && Compact.bytes(false) == [1])
        #expect(try Compact.bytes(Int64.min) == [0x1F] + [UInt8](repeating: 0xFF, count: 7) + [0x7F])
        #expect(try Compact.bytes(UInt64.max) == [0x17] + [UInt8](repeating: 0xFF, count: 8))
        #expect(try Compact.bytes(Int128.min) == [0x07] + [UInt8](repeating: 0, count: 15) + [0x80])
        #expect(try Compact.bytes(UInt128.max) == [0x08] + [UInt8](repeating: 0xFF, count: 16))
        #expect(try Compact.bytes("") == [0x80])
        let long = String(repeating: "a", count: 64)
        #expect(try Compact.bytes(long) == [0x09, 64, 0, 0, 0] + long.utf8)
        #expect(try Compact.bytes([String: Int]()) == [0x0D, 0, 0, 0, 0])
    }

    @Test func aDocumentIsReadableWithoutItsType() throws {
        let tree = try Compact.tree(Self.golden)
        guard case .dictionary(let members) = tree else { throw StorageError(.codecFailure, "\(tree)") }
        #expect(members["id"] == 300 && members["name"] == "Ada" && members["inner"] == ["on": true])
        #expect(members["key"] == "01020304-0506-0708-090A-0B0C0D0E0F10" && members["blob"] == .data(Data([9])))
        #expect(members["site"] == "a:b" && members["ratios"] == [1.5])
        #expect(try Compact.tree(try Compact.bytes(UInt128.max)) == .string("\(UInt128.max)"))
    }

    @Test func aFieldIsReadWithoutTheOthers() throws {
        // The other fields are not looked at.
        let broken: [UInt8] = [0x0D, 11, 0, 0, 0, 0x81, 0x61, 0x81, 0xFF, 0x81, 0x62, 0x45, 0x81, 0x63, 0x81, 0xFE]
        try Compact.with(broken) { (root) throws(StorageError) in
            #expect(try root.field("b")?.decoded(as: Int.self) == 5)
            #expect(try root.field("d") == nil)
            #expect(code { () throws(StorageError) in try root.field("a")?.decoded(as: String.self) } == .corruption)
        }
        #expect(code { () throws(StorageError) in try Compact.tree(broken) } == .corruption)
        try Compact.with(Self.golden) { (root) throws(StorageError) in
            #expect(try root.field("inner")?.decoded(as: Sample.Inner.self) == Sample.Inner(on: true))
            #expect(try root.field("when")?.decoded(as: Date.self) == Sample().when)
            #expect(code { () throws(StorageError) in try root.field("name")?.decoded(as: Int.self) } == .typeMismatch)
        }
    }

    @Test func fieldsMayBeInAnyOrderAndUnknownOnesAreSkipped() throws {
        struct Short: Codable, Equatable {
            var site: URL
            var name: String
            var missing: Int?
            var id: Int
        }
        let short: Short = try Compact.value(Self.golden)
        #expect(short == Short(site: try #require(URL(string: "a:b")), name: "Ada", missing: nil, id: 300))
    }

    @Test func numbersReadAsTypesThatHoldThem() throws {
        #expect(try Compact.value(try Compact.bytes(200), as: UInt8.self) == 200)
        #expect(try Compact.value(try Compact.bytes(3), as: Double.self) == 3)
        #expect(try Compact.value(try Compact.bytes(3.0), as: Int.self) == 3)
        #expect(try Compact.value(try Compact.bytes(0.5), as: Float.self) == 0.5)
        #expect(code { () throws(StorageError) in try Compact.value([0x11, 0, 1], as: UInt8.self) } == .codecFailure)
        #expect(code { () throws(StorageError) in try Compact.value([0x18, 0], as: UInt.self) } == .codecFailure)
        #expect(code { () throws(StorageError) in try Compact.value(try Compact.bytes(0.1), as: Float.self) } != nil)
        #expect(code { () throws(StorageError) in try Compact.value([0x40], as: String.self) } == .typeMismatch)
        #expect(code { () throws(StorageError) in try Compact.value([0x40], as: [Int].self) } == .typeMismatch)
    }

    @Test func aStoreKeepsAndShowsCompactValues() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set(Sample(), forKey: "a", as: .compact)
        try namespace.set(7, forKey: "seven", as: .compact)
        try fixture.reopen()
        #expect(try fixture["n"].value(forKey: "a", as: Sample.self) == Sample())
        #expect(try fixture["n"].int(forKey: "seven", default: 0) == 7)
        #expect(try fixture["n"].info(forKey: "a")?.codec == .compact)
        #expect(try fixture["n"].object(forKey: "seven") == .compact(7))
        try fixture["n"].update(forKey: "a", default: Sample()) { $0.id += 1 }
        #expect(try fixture["n"].info(forKey: "a")?.codec == .compact, "a document keeps its format")
        let (codec, bytes) = try #require(try fixture["n"].payload(forKey: "a"))
        try fixture["n"].setPayload(bytes, codec: codec, forKey: "copy")
        #expect(try fixture["n"].value(forKey: "copy", as: Sample.self)?.id == 301)
    }

    @Test func versionsAreKeptWithCompactDocuments() throws {
        let fixture = try StoreFixture()
        let codec = VersionedCodec(Sample.Inner.self, as: .compact).then(Sample.self) { Sample(inner: $0) }
        let old = VersionedCodec(Sample.Inner.self, as: .compact)
        try fixture["n"].set(Sample.Inner(on: false), forKey: "k", using: old)
        #expect(try fixture["n"].payload(forKey: "k")?.bytes.prefix(6) == [1, 0, 0, 0, 20, 0x0D])
        #expect(try fixture["n"].value(forKey: "k", using: codec)?.inner.on == false)
        #expect(try fixture["n"].migrateValues(in: KeyRange.all, using: codec).migrated == 1)
        #expect(try fixture["n"].payload(forKey: "k")?.bytes.prefix(6) == [2, 0, 0, 0, 20, 0x0D])
        let trees = VersionedCodec(StructuredValue.self).then(StructuredValue.self) { $0 }
        let tree = try Compact.tree(try Compact.bytes(Sample(inner: .init(on: false))))
        #expect(try fixture["n"].value(forKey: "k", using: trees) == tree)
    }
}
