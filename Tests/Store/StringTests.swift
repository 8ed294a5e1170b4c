import Shale
import Testing

@Suite struct StringTests {
    @Test func aStringIsStoredAsItsOwnBytes() throws {
        let fixture = try StoreFixture()
        let texts = [
            "", "a", "fifteen bytes 15", "é", "e\u{301}", "\u{0}", "日本語 👩‍👩‍👧", String(repeating: "long ", count: 1000),
        ]
        for (index, text) in texts.enumerated() { try fixture["n"].set(text, forKey: "\(index)") }
        try fixture.reopen()
        for (index, text) in texts.enumerated() {
            let found = try #require(try fixture["n"].string(forKey: "\(index)"))
            #expect(Array(found.utf8) == Array(text.utf8))
            #expect(try fixture["n"].info(forKey: "\(index)")?.payloadByteCount == text.utf8.count)
        }
        let id = try #require(fixture.store.engine.namespaces.first).id
        let raw = try unsafe fixture.store.engine.value(forKey: Array("1".utf8).span.bytes, in: id)
        #expect(raw == [2, 0, UInt8(ascii: "a")])
    }

    @Test func aSubstringAndADynamicTypeAreStringsToo() throws {
        let fixture = try StoreFixture()
        func store<T: Codable>(_ value: T) throws { try fixture["n"].set(value, forKey: "k") }
        try store("text")
        #expect(try fixture["n"].info(forKey: "k")?.codec == .string)
        #expect(try fixture["n"].string(forKey: "k") == "text")
    }
}
