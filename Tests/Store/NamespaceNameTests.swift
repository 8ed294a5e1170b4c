import ShalePlatform
import TestSupport
import Testing

@testable import Shale

@Suite struct NamespaceNameTests {
    private static func randomName(_ random: SeededRandom) -> NamespaceName {
        let alphabet = ["a", "b", "\u{0}", "\u{1}", "\u{2}", "ab", ""]
        func text() -> String { (0..<random.below(4)).map { _ in alphabet[random.below(alphabet.count)] }.joined() }
        return NamespaceName(
            owner: random.chance(0.5) ? .common : .user(text()), components: (0...random.below(3)).map { _ in text() })
    }

    @Test func theBytesAreTheDocumentedOnes() {
        let name = NamespaceName(owner: .user("id"), components: ["a", "bc"])
        #expect(name.bytes == [2, 2, 0] + Array("id".utf8) + [1, 0] + Array("a".utf8) + [2, 0] + Array("bc".utf8))
        #expect(NamespaceName(owner: .common, components: [""]).bytes == [1, 0, 0])
    }

    @Test func differentPathsGiveDifferentBytesAndParseBack() throws {
        let random = SeededRandom(seed: 11)
        for _ in 0..<20_000 {
            let one = Self.randomName(random)
            let two = Self.randomName(random)
            let isSame = one.owner == two.owner && one.components == two.components
            #expect((one.bytes == two.bytes) == isSame, "seed \(random.seed): \(one) \(two)")
            let parsed = try #require(NamespaceName(bytes: one.bytes))
            #expect(parsed.owner == one.owner && parsed.components == one.components)
            let isBelow = one.owner == two.owner && one.components.starts(with: two.components)
            #expect(one.bytes.starts(with: two.bytes) == isBelow, "seed \(random.seed): \(one) \(two)")
        }
    }

    @Test func foreignNamesAreNotTakenForPaths() {
        for bytes: [UInt8] in [[], [0], [1], [3, 1, 0, 97], [1, 2, 0, 97], [2, 1, 0, 97], [1, 1, 0, 0xff]] {
            #expect(NamespaceName(bytes: bytes) == nil)
        }
    }

    @Test func anyBytesParseToWhatGivesThemBack() {
        let random = SeededRandom(seed: 12)
        for _ in 0..<20_000 {
            let bytes = (0..<random.below(12)).map { _ in UInt8(random.below(4)) }
            if let name = NamespaceName(bytes: bytes) { #expect(name.bytes == bytes) }
        }
    }
}

@Suite struct NamespaceIsolationTests {
    @Test func joinedNamesDoNotCollide() throws {
        let fixture = try StoreFixture()
        try fixture["c"].set(1, forKey: "a_b")
        try fixture["b_c"].set(2, forKey: "a")
        try fixture["a"].child("b").set(3, forKey: "k")
        try fixture["a/b"].set(4, forKey: "k")
        try fixture["ab"].set(5, forKey: "k")
        try fixture.store.user("a")["b"].set(6, forKey: "k")
        try fixture.reopen()
        #expect(try fixture["c"].int(forKey: "a_b") == 1)
        #expect(try fixture["b_c"].int(forKey: "a") == 2)
        #expect(try fixture["a"].child("b").int(forKey: "k") == 3)
        #expect(try fixture["a/b"].int(forKey: "k") == 4)
        #expect(try fixture["ab"].int(forKey: "k") == 5)
        #expect(try fixture.store.user("a")["b"].int(forKey: "k") == 6)
        #expect(try fixture["b"].count() == 0)
    }

    @Test func differentPathsNeverShareAKey() throws {
        let random = SeededRandom(seed: 4)
        let fixture = try StoreFixture()
        let alphabet = ["a", "b", "_", "/", "\u{0}", "\u{1}", "", "é", "e\u{301}"]
        func text() -> String { (0..<random.below(4)).map { _ in alphabet[random.below(alphabet.count)] }.joined() }
        var expected: [[[UInt8]]: Int] = [:]
        for round in 0..<400 {
            let user: String? = random.chance(0.5) ? text() + "u" : nil
            let path = (0...random.below(3)).map { _ in text() }
            let key = text()
            var namespace = (user.map { fixture.store.user($0) } ?? fixture.store.common)[path[0]]
            for component in path.dropFirst() { namespace = namespace.child(component) }
            let place = [user.map { Array($0.utf8) } ?? []] + path.map { Array($0.utf8) } + [Array(key.utf8)]
            #expect(try namespace.int(forKey: key) == expected[place], "seed \(random.seed) round \(round)")
            try namespace.set(round, forKey: key)
            expected[place] = round
        }
    }

    @Test func keysMayHoldAnyBytes() throws {
        let fixture = try StoreFixture()
        let keys: [[UInt8]] = [[], [0], [0, 0], [0xff], [0xff, 0xff], Array("text".utf8), [0xc3, 0x28]]
        for (index, key) in keys.enumerated() { try fixture["n"].set(index, forKey: key) }
        try fixture.reopen()
        for (index, key) in keys.enumerated() { #expect(try fixture["n"].int(forKey: key) == index) }
        let found = try fixture["n"].keys.array()
        #expect(found.map(\.bytes) == keys.sorted { $0.lexicographicallyPrecedes($1) })
        #expect(found.last?.description == "0xffff")
    }

    @Test func aPathThatIsTooLongIsRefused() throws {
        let fixture = try StoreFixture()
        for length in [5000, 70_000] {
            let long = fixture[String(repeating: "x", count: length)]
            #expect(code { () throws(StorageError) in try long.set(1, forKey: "k") } == .invalidArgument)
            #expect(code { () throws(StorageError) in try long.int(forKey: "k") } == .invalidArgument)
            #expect(code { () throws(StorageError) in try long.dropSubtree() } == .invalidArgument)
        }
    }
}
