import Shale
import ShalePlatform
import TestSupport
import Testing

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
