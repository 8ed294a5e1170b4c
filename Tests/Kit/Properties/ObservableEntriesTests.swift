import ShaleEngine
import ShaleKit
import TestSupport
import Testing

/// Ranges that a list observes.
@MainActor
@Suite struct ObservableEntriesTests {
    @Test func changesInThePrefixAreShown() async throws {
        let fixture = try PropertyFixture()
        let orders = fixture.store.common["orders"]
        try orders.set(1, forKey: "2026-1")
        try orders.set(9, forKey: "2025-1")
        let shown = ObservableEntries(prefix: "2026-", in: orders, as: Int.self)
        #expect(shown.entries.isEmpty && !shown.isLoaded)
        #expect(await until { shown.isLoaded })
        #expect(shown.entries.map(\.key) == ["2026-1"] && shown.entries.map(\.value) == [1])
        try orders.set(2, forKey: "2026-2")
        #expect(await until { shown.entries.map(\.value) == [1, 2] })
        try orders.remove("2026-1")
        #expect(await until { shown.entries.map(\.id) == ["2026-2"] })
        try orders.truncate()
        #expect(await until { shown.entries.isEmpty })
        #expect(shown.error == nil)
    }

    @Test func aRangeShowsItsFirstEntries() async throws {
        let fixture = try PropertyFixture()
        for key in ["a", "b", "c", "d"] { try fixture.settings.set(key, forKey: key) }
        let shown = ObservableEntries(in: "b"..., of: fixture.settings, as: String.self, limit: 2)
        #expect(await until { shown.entries.map(\.value) == ["b", "c"] })
        try fixture.settings.remove("b")
        #expect(await until { shown.entries.map(\.value) == ["c", "d"] })
    }

    @Test func anExpiryIsShownOnRequest() async throws {
        let fixture = try PropertyFixture()
        try fixture.settings.set(1, forKey: "k", options: .expires(after: .seconds(10)))
        let shown = ObservableEntries(prefix: "", in: fixture.settings, as: Int.self, reportsExpiry: true)
        #expect(await until { shown.entries.count == 1 })
        fixture.time.advance(milliseconds: 10_000)
        #expect(await until { shown.entries.isEmpty })
    }

    @Test func anEntryOfAnotherTypeIsAnErrorUntilItGoes() async throws {
        let fixture = try PropertyFixture()
        try fixture.settings.set(1, forKey: "a")
        let shown = ObservableEntries(prefix: "", in: fixture.settings, as: Int.self)
        #expect(await until { shown.entries.count == 1 })
        try fixture.settings.set("text", forKey: "b")
        #expect(await until { shown.error?.code == .typeMismatch })
        #expect(shown.entries.map(\.value) == [1], "an error is no empty list")
        try fixture.settings.remove("b")
        #expect(await until { shown.error == nil })
    }

    @Test func anInvalidLimitIsAnError() throws {
        let fixture = try PropertyFixture()
        let shown = ObservableEntries(prefix: "", in: fixture.settings, as: Int.self, limit: 0)
        #expect(shown.error?.code == .invalidArgument && !shown.isLoaded)
    }

    @Test func theListFollowsTheUser() async throws {
        let fixture = try PropertyFixture()
        try fixture.store.user("ada")["mail"].set(1, forKey: "a")
        try fixture.store.user("bob")["mail"].set(2, forKey: "b")
        let shown = ObservableEntries(prefix: "", in: fixture.store.currentUserNamespace("mail"), as: Int.self)
        try fixture.store.signIn("ada")
        #expect(await until { shown.entries.map(\.value) == [1] })
        try fixture.store.signIn("bob")
        #expect(await until { shown.entries.map(\.value) == [2] })
        fixture.store.signOut()
        #expect(await until { shown.entries.isEmpty })
    }

    @Test func aReleasedListEndsItsSubscription() async throws {
        weak var released: ObservableEntries<Int>?
        weak var engine: Engine?
        do {
            let store = try Store.inMemory()
            engine = store.engine
            let shown = ObservableEntries(prefix: "", in: store.common["n"], as: Int.self)
            released = shown
            try store.common["n"].set(1, forKey: "k")
            #expect(await until { shown.entries.count == 1 })
        }
        #expect(released == nil)
        #expect(await until { engine == nil })
    }

    @Test func closingTheStoreEndsIt() async throws {
        let fixture = try PropertyFixture()
        let shown = ObservableEntries(prefix: "", in: fixture.settings, as: Int.self)
        try await fixture.store.close()
        #expect(await until { shown.hasEnded })
    }
}
