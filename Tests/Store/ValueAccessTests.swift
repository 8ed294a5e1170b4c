import Shale
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct GetterTests {
    @Test func oneGetterDecodesWhateverWasStored() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        let uuid = UUID()
        let url = try #require(URL(string: "https://example.org"))
        try namespace.set(Data([1]), forKey: "data")
        try namespace.set("s", forKey: "string")
        try namespace.set(true, forKey: "bool")
        try namespace.set(-5, forKey: "int")
        try namespace.set(UInt64.max, forKey: "unsigned")
        try namespace.set(0.5, forKey: "double")
        try namespace.set(Float(0.5), forKey: "float")
        try namespace.set(Date(timeIntervalSinceReferenceDate: 3), forKey: "date")
        try namespace.set(uuid, forKey: "uuid")
        try namespace.set(url, forKey: "url")
        try namespace.set(["a": [1.5]], forKey: "json")
        try namespace.set(["a": [nil, 2]] as [String: [Int?]], forKey: "jsonNull")
        try fixture.reopen()
        let expected: [(String, StoredValue)] = [
            ("data", .data(Data([1]))), ("string", .string("s")), ("bool", .bool(true)), ("int", .int(-5)),
            ("unsigned", .unsigned(.max)), ("double", .double(0.5)), ("float", .float(0.5)),
            ("date", .date(Date(timeIntervalSinceReferenceDate: 3))), ("uuid", .uuid(uuid)), ("url", .url(url)),
            ("json", .json(.dictionary(["a": .array([.double(1.5)])]))),
            ("jsonNull", .json(.dictionary(["a": .array([.null, .int(2)])]))),
        ]
        for (key, value) in expected {
            #expect(try fixture["n"].object(forKey: key) == value)
            #expect(try fixture["n"].info(forKey: key)?.codec == value.codec)
        }
        #expect(try fixture["n"].object(forKey: "nothing") == nil)
    }

    @Test func infoTellsWithoutDecoding() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        #expect(try namespace.info(forKey: "k") == nil)
        try namespace.set("text", forKey: "k", options: [.purgeable, .expires(after: .seconds(10))])
        let info = try #require(try namespace.info(forKey: "k"))
        #expect(info.codec == .string && info.payloadByteCount == 4 && info.isPurgeable)
        let expiry = Double(fixture.time.wallMilliseconds + 10_000) / 1000
        #expect(info.expiresAt == Date(timeIntervalSince1970: expiry))
        try fixture.plant([77, 0, 1], forKey: "new", in: "n")
        #expect(try namespace.info(forKey: "new")?.codec.isKnown == false)
    }
}

/// Stored payloads, without decoding.
@Suite struct PayloadTests {
    @Test func aPayloadIsTheEncodedValueWithItsCodec() throws {
        let fixture = try StoreFixture()
        let values = fixture["n"]
        try values.set("tea", forKey: "string")
        try values.set(7, forKey: "int")
        let string = try #require(try values.payload(forKey: "string"))
        #expect(string.codec == .string && string.bytes == Array("tea".utf8))
        let int = try #require(try values.payload(forKey: "int"))
        #expect(int.codec == .int && int.bytes == [7, 0, 0, 0, 0, 0, 0, 0])
        #expect(try values.payload(forKey: "nothing") == nil)
    }
}

@Suite struct NilTests {
    @Test func settingNilRemoves() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        for key in ["a", "b", "c"] { try namespace.set(1, forKey: key) }
        let none: Int? = nil
        let nothing: [String]? = nil
        try namespace.set(none, forKey: "a")
        try namespace.set(nothing, forKey: "b")
        try namespace.set(nil, forKey: "c")
        #expect(try namespace.count() == 0)
        try namespace.set(1, forKey: "d")
        try fixture.store.write { (batch) throws(StorageError) in try batch.set(none, forKey: "d", in: namespace) }
        #expect(try !namespace.contains("d"))
    }
}
