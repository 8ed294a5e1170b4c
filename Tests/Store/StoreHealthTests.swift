import Shale
import Testing

extension Keys { fileprivate static let launches = Key<Int>("launches", default: 7) }

@Suite struct StoreHealthTests {
    @Test func subscriptsReadAndWrite() throws {
        let fixture = try StoreFixture()
        let settings = fixture["settings"]
        #expect(settings[.launches] == 7)
        settings[.launches] += 1
        #expect(try settings.value(for: .launches) == 8)
        #expect(fixture.store.health.isGood)
    }

    @Test func errorsOfSubscriptsAreInTheHealth() throws {
        let fixture = try StoreFixture()
        let settings = fixture.store.user("u")["settings"].child("view")
        try settings.set("text", forKey: "launches")
        #expect(settings[.launches] == 7)
        let health = fixture.store.health
        #expect(!health.isGood)
        #expect(health.failedReads == 1)
        #expect(health.failedWrites == 0)
        let failure = try #require(health.failures.first)
        #expect(failure.error.code == .typeMismatch)
        #expect(failure.access == .read)
        #expect(failure.path == ["settings", "view"])
        #expect(failure.userID == "u")
    }

    @Test func onlyTheNewestFailuresAreKept() throws {
        let fixture = try StoreFixture()
        let tooLong = Key(String(repeating: "k", count: 20_000), default: 0)
        for _ in 0..<40 { fixture["n"][tooLong] = 1 }
        let health = fixture.store.health
        #expect(health.failedWrites == 40)
        #expect(health.failures.count == 16)
        #expect(health.failures.allSatisfy { $0.error.code == .invalidArgument && $0.access == .write })
    }
}
