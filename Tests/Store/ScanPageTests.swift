import Shale
import ShalePlatform
import TestSupport
import Testing

/// Pages of a scan: the last key of a page is the token of the next one.
@Suite struct ScanPageTests {
    private func filled(_ keys: [String]) throws -> StoreFixture {
        let fixture = try StoreFixture()
        for key in keys { try fixture["n"].set(true, forKey: key) }
        return fixture
    }

    @Test func aPageBeginsBehindItsToken() throws {
        let fixture = try filled(["a", "b", "ba", "c", "d"])
        let keys = fixture["n"].keys
        #expect(try keys.after("b").array() == ["ba", "c", "d"])
        #expect(try keys.after("bz").array() == ["c", "d"])
        #expect(try keys.after("d").array().isEmpty)
        #expect(try keys.after("").array().count == 5)
        #expect(try keys.reversed().after("b").array() == ["a"])
        #expect(try keys.reversed().after("bz").array() == ["ba", "b", "a"])
        #expect(try keys.reversed().after("zz").array().count == 5)
        #expect(try keys.after("b").count() == 3)
    }

    @Test func aPageKeepsToItsPrefix() throws {
        let fixture = try filled(["a", "b/1", "b/2", "b/3", "c"])
        let under = fixture["n"].keys(prefix: "b/")
        #expect(try under.after("b/1").array() == ["b/2", "b/3"])
        #expect(try under.after("a").array() == ["b/1", "b/2", "b/3"])
        #expect(try under.after("z").array().isEmpty)
        #expect(try under.reversed().after("b/3").array() == ["b/2", "b/1"])
        #expect(try under.reversed().after("z").array() == ["b/3", "b/2", "b/1"])
        #expect(try under.reversed().after("a").array().isEmpty)
        #expect(try fixture["n"].keys(in: "b/1"..."b/3").after("b/1").array() == ["b/2", "b/3"])
        #expect(try fixture["n"].keys(in: "b/1"..<"b/3").reversed().after("b/3").array() == ["b/2", "b/1"])
    }

    /// Every key that stays comes exactly once, although keys come and go between the pages, the token's too.
    @Test func tokensStayValidWhileKeysComeAndGo() throws {
        let random = SeededRandom(seed: Ring.seed &+ 41)
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        func name(_ number: Int) -> EntryKey { EntryKey("k" + String(10_000 + number)) }
        let stable = (0..<300).map { name(3 * $0) }
        for key in stable { try namespace.set(true, forKey: key) }
        for isReversed in [false, true] {
            var seen: [EntryKey] = []
            var token: EntryKey?
            while true {
                let all = isReversed ? namespace.keys(prefix: "k").reversed() : namespace.keys(prefix: "k")
                let page = try (token.map { all.after($0) } ?? all).array(limit: 1 + random.below(20))
                guard let last = page.last else { break }
                seen += page
                token = last
                if !stable.contains(last) { try namespace.remove(last) }
                for _ in 0..<5 {
                    let other = name(3 * random.below(300) + 1 + random.below(2))
                    if random.chance(0.5) {
                        try namespace.set(false, forKey: other)
                    } else {
                        try namespace.remove(other)
                    }
                }
            }
            #expect(seen == (isReversed ? seen.sorted(by: >) : seen.sorted()), "seed \(random.seed)")
            #expect(Set(seen).count == seen.count, "seed \(random.seed)")
            #expect(seen.filter { stable.contains($0) }.count == stable.count, "seed \(random.seed)")
        }
    }
}
