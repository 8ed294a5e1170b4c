import Foundation
import Shale
import ShalePlatform
import TestSupport
import Testing

/// A wrong reading of the clock neither purges entries nor makes them immortal.
@Suite struct PolicyClockTests {
    private static let year: Int64 = 365 * 86_400_000

    @Test func policiesByAgePurgeNothingUnderAWrongClock() throws {
        let fixture = try StoreFixture()
        try fixture["n"].setOptions(NamespaceOptions(isPurgeable: true, purgePolicy: .age(.seconds(3 * 86_400))))
        try fixture["n"].set(1, forKey: "k")
        fixture.time.wallMilliseconds += Self.year
        #expect(try fixture.store.purge(by: .policies).entries == 0)
        try fixture.reopen()
        #expect(try fixture.store.purge(by: .policies).entries == 0)
        fixture.time.wallMilliseconds -= Self.year
        #expect(try fixture["n"].int(forKey: "k") == 1)
        // The elapsed time of the clock still counts.
        fixture.time.advance(milliseconds: 4 * 86_400_000)
        #expect(try fixture.store.purge(by: .policies).entries == 1)
    }

    @Test func entriesWrittenUnderAWrongClockDelayNoPolicy() throws {
        let fixture = try StoreFixture()
        try fixture["n"].setOptions(NamespaceOptions(isPurgeable: true, purgePolicy: .age(.seconds(3 * 86_400))))
        fixture.time.wallMilliseconds += Self.year
        try fixture["n"].set(1, forKey: "wrong")
        #expect(try fixture.store.purge(by: .policies).entries == 0)
        fixture.time.wallMilliseconds -= Self.year
        try fixture["n"].set(1, forKey: "right")
        fixture.time.advance(milliseconds: 4 * 86_400_000)
        #expect(try fixture.store.purge(by: .policies).entries == 1)
        #expect(try fixture["n"].keys.array() == ["wrong"])
    }

    @Test func aLifetimeSetUnderAWildReadingEnds() throws {
        let fixture = try StoreFixture()
        fixture.time.wallMilliseconds += 75 * Self.year
        try fixture["n"].set(1, forKey: "k", options: .expires(after: .seconds(60)))
        #expect(try fixture["n"].int(forKey: "k") == 1)
        fixture.time.wallMilliseconds -= 75 * Self.year
        #expect(try fixture["n"].int(forKey: "k") == 1)
        fixture.time.advance(milliseconds: 60_000)
        #expect(try fixture["n"].int(forKey: "k") == nil)
    }

    @Test func theStoreTellsOfTheClock() throws {
        let fixture = try StoreFixture()
        try fixture.store.close()
        fixture.time.wallMilliseconds += Self.year
        try fixture.reopen()
        #expect(fixture.store.recovery.clockDoubt == .ahead(by: .milliseconds(Self.year)))
    }
}

/// A policy reports damaged entries and still purges the others.
@Suite struct PolicyDamageTests {
    private static func fixture() throws -> StoreFixture {
        let fixture = try StoreFixture()
        for name in ["a", "b"] {
            try fixture[name].setOptions(NamespaceOptions(isPurgeable: true, purgePolicy: .age(.seconds(3 * 86_400))))
        }
        return fixture
    }

    @Test func aDamagedHeaderStaysAndTheRestGoes() throws {
        let fixture = try Self.fixture()
        for name in ["a", "b"] { for index in 0..<5 { try fixture[name].set(index, forKey: "k\(index)") } }
        // A header whose length exceeds the value.
        try fixture.plant([4, 2, 200, 0, 1, 8, 1], forKey: "k2", in: "a", isPurgeable: true)
        fixture.time.advance(milliseconds: 4 * 86_400_000)
        let dry = try fixture.store.purgeDryRun(by: .policies)
        // Four entries of one namespace, five of the other, and the entry that planting adds.
        #expect(dry.entries == 10 && dry.damage.count == 1)
        let report = try fixture.store.purge(by: .policies)
        #expect(report.entries == 10)
        #expect(report.damage.count == 1 && report.damage.errors.map(\.code) == [.corruption])
        #expect(try fixture["a"].keys.array() == ["k2"] && fixture["b"].count() == 0)
    }
}
