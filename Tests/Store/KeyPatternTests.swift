import Shale
import Testing

/// Removal and listing by glob and LIKE patterns.
@Suite struct KeyPatternTests {
    @Test(arguments: [
        ("", "", true), ("", "a", false), ("*", "", true), ("*", "abc", true), ("a*", "abc", true), ("a*", "ba", false),
        ("*c", "abc", true), ("*c", "abd", false), ("a*c", "ac", true), ("a*b*c", "axbybzc", true),
        ("a*b*c", "axcyb", false), ("?", "a", true), ("?", "", false), ("?", "ab", false), ("a?c", "abc", true),
        ("?", "é", true), ("??", "é", false), ("*?", "日本", true), ("???", "日本", false), ("a\\*", "a*", true),
        ("a\\*", "ab", false), ("a\\", "a\\", true), ("**a**", "bab", true), ("*ab*ab", "ababab", true),
        ("*aab", "aaab", true), ("user/*/token", "user/1/2/token", true), ("A", "a", false), ("%", "a", false),
    ])
    func globsMatchWholeKeys(_ pattern: String, _ key: String, _ isMatch: Bool) throws {
        #expect(try KeyPattern.glob(pattern).matches(key) == isMatch)
    }

    @Test func likeHasWildcardsOfItsOwn() throws {
        #expect(try KeyPattern.like("a%_").matches("abc"))
        #expect(try KeyPattern.like("a*").matches("a*"))
        #expect(try !KeyPattern.like("a*").matches("ab"))
        #expect(try KeyPattern.like("100\\%").matches("100%"))
        #expect(try !KeyPattern.like("100\\%").matches("1000"))
    }

    @Test func bytesThatAreNoTextAreMatchedByteByByte() throws {
        let key: [UInt8] = [0xFF, 0x80, 0x41]
        #expect(try KeyPattern.glob("*A").matches(key))
        #expect(try KeyPattern.glob("?A").matches(key))
        #expect(try KeyPattern.glob("?").matches([0xC3] as [UInt8]))
    }

    @Test func hostilePatternsEnd() throws {
        let pattern = KeyPattern.glob(String(repeating: "*a", count: 500) + "b")
        #expect(try !pattern.matches(String(repeating: "a", count: 10_000)))
    }

    @Test func keysOfAPatternAreListedAndRemoved() throws {
        let fixture = try StoreFixture()
        for key in ["a/1/x", "a/1/y", "a/2/x", "ab", "b/1/x"] { try fixture["n"].set(1, forKey: key) }
        #expect(try fixture["n"].keys(matching: .glob("a/*/x")) == ["a/1/x", "a/2/x"])
        #expect(try fixture["n"].removeAll(matching: .glob("a/*/x")) == 2)
        #expect(try fixture["n"].removeAll(matching: .like("%/x")) == 1)
        #expect(try fixture["n"].keys.array() == ["a/1/y", "ab"])
        #expect(try fixture["missing"].removeAll(matching: .glob("*")) == 0)
    }
}
