import Shale
import Testing

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
