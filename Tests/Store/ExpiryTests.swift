import Shale
import ShalePlatform
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct ExpiryTests {
    @Test func anEntryIsThereUntilItsTimeAndNotAfterwards() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set(1, forKey: "after", options: .expires(after: .milliseconds(100)))
        let date = Date(timeIntervalSince1970: Double(fixture.time.wallMilliseconds + 200) / 1000)
        try namespace.set(2, forKey: "at", options: .expires(at: date))
        try namespace.set(3, forKey: "past", options: .expires(at: .distantPast))
        try namespace.set(3, forKey: "negative", options: .expires(after: .seconds(-1)))
        try namespace.set(4, forKey: "stays")
        #expect(try namespace.keys.array() == ["after", "at", "stays"])
        fixture.time.advance(milliseconds: 99)
        #expect(try namespace.int(forKey: "after") == 1)
        fixture.time.advance(milliseconds: 1)
        #expect(try namespace.int(forKey: "after") == nil)
        try fixture.reopen()
        #expect(try fixture["n"].keys.array() == ["at", "stays"])
        fixture.time.advance(milliseconds: 100)
        #expect(try fixture["n"].keys.array() == ["stays"])
    }

    @Test func settingAgainTakesTheExpiryAway() throws {
        let fixture = try StoreFixture()
        try fixture["n"].set(1, forKey: "k", options: .expires(after: .seconds(1)))
        try fixture["n"].set(2, forKey: "k")
        fixture.time.advance(milliseconds: 5000)
        #expect(try fixture["n"].int(forKey: "k") == 2)
    }

    @Test func anExpiredValueHidesTheOneBefore() throws {
        let fixture = try StoreFixture()
        try fixture["n"].set(1, forKey: "k")
        try fixture["n"].set(2, forKey: "k", options: .expires(after: .seconds(1)))
        fixture.time.advance(milliseconds: 1000)
        #expect(try fixture["n"].int(forKey: "k") == nil)
        try fixture.store.purge()
        try fixture.reopen()
        #expect(try fixture["n"].int(forKey: "k") == nil)
    }

    @Test func expiredEntriesLeaveTheDiskByThemselves() throws {
        let fixture = try StoreFixture(isSmall: true)
        let random = SeededRandom(seed: 6)
        for index in 0..<2000 {
            try fixture["n"].set(random.bytes(100), forKey: "\(index)", options: .expires(after: .seconds(60)))
        }
        try fixture["n"].set(1, forKey: "stays")
        try fixture.store.engine.flush()
        let before = try fixture.segmentBytes()
        #expect(before > 200_000)
        fixture.time.advance(milliseconds: 60_000)
        // The store checks every five seconds of its clock. The kept entries take one block.
        let hasLeft = try eventually {
            fixture.time.advance(milliseconds: 1000)
            return try fixture.segmentBytes() <= before / 20
        }
        try #require(hasLeft)
        #expect(try fixture["n"].keys.array() == ["stays"])
    }

    @Test func aNamespaceCanLimitTheLifeOfItsEntries() throws {
        let fixture = try StoreFixture()
        try fixture["n"].setOptions(NamespaceOptions(timeToLive: .seconds(10)))
        let namespace = fixture["n"]
        try namespace.set(1, forKey: "a")
        try namespace.set(1, forKey: "b", options: .neverExpires)
        try namespace.set(1, forKey: "c", options: .expires(after: .seconds(20)))
        fixture.time.advance(milliseconds: 10_000)
        #expect(try namespace.keys.array() == ["b", "c"])
    }

    @Test func aClockThatIsSetBackDoesNotEndLivesEarly() throws {
        let fixture = try StoreFixture()
        try fixture["n"].set(1, forKey: "seen", options: .expires(after: .seconds(1)))
        fixture.time.advance(milliseconds: 86_400_000)
        #expect(try fixture["n"].int(forKey: "seen") == nil)
        fixture.time.wallMilliseconds -= 86_400_000
        #expect(try fixture["n"].int(forKey: "seen") == nil)
        try fixture["n"].set(1, forKey: "k", options: .expires(after: .seconds(10)))
        #expect(try fixture["n"].int(forKey: "k") == 1)
    }
}
