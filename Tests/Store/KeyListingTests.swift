import Shale
import ShalePlatform
import TestSupport
import Testing

@Suite struct KeyListingTests {
    private func filled(_ keys: [String]) throws -> StoreFixture {
        let fixture = try StoreFixture()
        for (index, key) in keys.enumerated() { try fixture["n"].set(index, forKey: key) }
        return fixture
    }

    @Test func keysComeInOrder() throws {
        let fixture = try filled(["b", "a", "é", "Z", "aa", ""])
        #expect(try fixture["n"].keys.array() == ["", "Z", "a", "aa", "b", "é"])
        #expect(try fixture["n"].keys.reversed().array() == ["é", "b", "aa", "a", "Z", ""])
        #expect(try fixture["n"].count() == 6)
        #expect(try fixture["n"].contains("aa"))
        #expect(try !fixture["n"].contains("ab"))
    }

    @Test func swiftsRangesBoundScans() throws {
        let fixture = try filled(["a", "b", "ba", "c", "d"])
        let namespace = fixture["n"]
        #expect(try namespace.keys(in: "b"..<"c").array() == ["b", "ba"])
        #expect(try namespace.keys(in: "b"..."c").array() == ["b", "ba", "c"])
        #expect(try namespace.keys(in: "c"...).array() == ["c", "d"])
        #expect(try namespace.keys(in: ..<"b").array() == ["a"])
        #expect(try namespace.keys(in: ..."b").array() == ["a", "b"])
        #expect(try namespace.keys(in: ..."b").reversed().array() == ["b", "a"])
        #expect(try namespace.keys(prefix: "b").array() == ["b", "ba"])
        #expect(try namespace.keys(prefix: "b").reversed().first() == "ba")
        #expect(try namespace.keys(prefix: "").array().count == 5)
        #expect(try namespace.keys(in: KeyRange(lower: .included([99]), upper: .excluded([98]))).array().isEmpty)
        #expect(try namespace.keys(prefix: "b").count() == 2)
    }

    @Test func entriesDecodeWhenAsked() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set(1, forKey: "a")
        try namespace.set("two", forKey: "b", options: .purgeable)
        try namespace.set([3], forKey: "c")
        var seen: [EntryKey] = []
        try namespace.entries.forEach { (entry) throws in
            seen.append(entry.key)
            switch entry.key {
            case "a": #expect(try entry.value(as: Int.self) == 1)
            case "b": #expect(try entry.value(as: String.self) == "two" && entry.info().isPurgeable)
            default: #expect(try entry.value(as: [Int].self) == [3])
            }
            if entry.key != "a" {
                #expect(code { () throws(StorageError) in try entry.value(as: Int.self) } == .typeMismatch)
            }
        }
        #expect(seen == ["a", "b", "c"])
        #expect(try namespace.entries.reversed().array(limit: 1).first?.object() == .json(.array([.int(3)])))
        var keys: [String] = []
        try namespace.entries(prefix: "b").forEach { (entry) throws(StorageError) in
            keys.append(entry.key.description)
        }
        #expect(keys == ["b"])
    }

    @Test func aScanSeesTheMomentItBegan() throws {
        let fixture = try filled(["a", "b", "c"])
        let cursor = fixture["n"].keys.cursor()
        #expect(try cursor.next() == "a")
        try fixture["n"].set(1, forKey: "bb")
        try fixture["n"].remove("c")
        #expect(try cursor.next() == "b")
        #expect(try cursor.next() == "c")
        #expect(try cursor.next() == nil)
        #expect(try cursor.next() == nil)
        #expect(try fixture["n"].keys.array() == ["a", "b", "bb"])
    }

    @Test func removingAPrefixTakesThatAndNothingElse() throws {
        let fixture = try filled(["a", "b/1", "b/2", "b0", "c"])
        #expect(try fixture["n"].removeAll(prefix: "b/") == 2)
        #expect(try fixture["n"].removeAll(prefix: "b/") == 0)
        #expect(try fixture["n"].removeAll(in: "c"...) == 1)
        try fixture.reopen()
        #expect(try fixture["n"].keys.array() == ["a", "b0"])
        #expect(try fixture["missing"].removeAll(prefix: "") == 0)
    }

    @Test func manyKeysAreRemovedInSeveralBatches() throws {
        let fixture = try StoreFixture()
        let long = String(repeating: "x", count: 1000)
        for index in 0..<3000 { try fixture["n"].set(index, forKey: "\(long)\(index)") }
        try fixture["n"].set(1, forKey: "y")
        #expect(try fixture["n"].removeAll(prefix: "x") == 3000)
        #expect(try fixture["n"].keys.array() == ["y"])
    }
}

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

/// The size of a namespace is known without a scan.
@Suite struct NamespaceSizeTests {
    @Test func aNamespacesSizeIsKnownWithoutAWalk() throws {
        let fixture = try StoreFixture()
        #expect(try fixture["n"].statistics == nil)
        for index in 0..<500 {
            try fixture["n"].set("value", forKey: "k\(100 + index)", options: index < 200 ? .purgeable : [])
        }
        try fixture["other"].set("value", forKey: "k")
        // Before a flush and after it: every key has 4 bytes, and every value has 5 bytes behind a header of 2.
        for _ in 0..<2 {
            let statistics = try #require(try fixture["n"].statistics)
            #expect(statistics.entries == 500 && statistics.purgeable == 200)
            #expect(statistics.rawBytes >= 500 * (4 + 5) && statistics.rawBytes <= 500 * (4 + 5 + 2 + 4))
            try fixture.store.engine.flush()
        }
        for index in 0..<100 { try fixture["n"].remove("k\(100 + index)") }
        try fixture.store.engine.compact()
        let statistics = try #require(try fixture["n"].statistics)
        #expect(statistics.entries == 400 && statistics.deletes == 0)
        #expect(try fixture["n"].count() == 400)
    }
}
