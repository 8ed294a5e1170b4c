import Foundation
import Shale
import Testing

/// A policy reports damaged entries and still purges the others.
@Suite struct PolicyDamageTests {
    private static func fixture() throws -> StoreFixture {
        let fixture = try StoreFixture()
        for name in ["a", "b"] {
            try fixture[name].setOptions(NamespaceOptions(isPurgeable: true, purgePolicy: .age(.days(3))))
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
