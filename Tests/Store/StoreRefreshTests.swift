import Shale
import TestSupport
import Testing

/// Read-only stores beside the store that writes.
@Suite struct StoreRefreshTests {
    @Test func aRefreshedStoreShowsWhatWasWritten() throws {
        let fixture = try StoreFixture()
        try fixture["n"].set(1, forKey: "k")
        let first = try fixture.reader()
        #expect(try first.refreshed() === first)
        try fixture["n"].set(2, forKey: "k")
        try fixture["new"].set("text", forKey: "k")
        let second = try first.refreshed()
        #expect(try second.common["n"].int(forKey: "k") == 2)
        #expect(try second.common["new"].string(forKey: "k") == "text")
        #expect(try first.common["n"].int(forKey: "k") == 1)
        #expect(try first.common["new"].string(forKey: "k") == nil)
        #expect(try fixture.store.refreshed() === fixture.store)
        try second.close()
        #expect(try first.common["n"].int(forKey: "k") == 1)
        #expect(try first.refreshed().common["n"].int(forKey: "k") == 2)
        try first.close()
        #expect(code { () throws(StorageError) in try first.refreshed() } == .closed)
    }

    @Test func theCurrentUserIsTheSame() throws {
        let fixture = try StoreFixture()
        let first = try fixture.reader()
        try first.signIn("ada")
        try fixture.store.user("ada")["n"].set(1, forKey: "k")
        let second = try first.refreshed()
        #expect(try second.current["n"].int(forKey: "k") == 1)
    }

    @Test func anAsynchronousRefreshShowsTheSame() async throws {
        let fixture = try StoreFixture()
        let first = try fixture.reader()
        try fixture["n"].set(1, forKey: "k")
        let second = try await first.refreshed()
        #expect(try second.common["n"].int(forKey: "k") == 1)
        #expect(throws: StorageError.self) { try second.common["n"].set(2, forKey: "k") }
    }

    @Test func droppedAndPurgedEntriesAreGone() throws {
        let fixture = try StoreFixture()
        try fixture["a"].set(1, forKey: "k")
        try fixture["b"].set(1, forKey: "k", options: .purgeable)
        let first = try fixture.reader()
        try fixture["a"].drop()
        try fixture.store.purgeNow()
        let second = try first.refreshed()
        #expect(try second.common["a"].int(forKey: "k") == nil && second.common["b"].int(forKey: "k") == nil)
        #expect(try first.common["a"].int(forKey: "k") == 1 && first.common["b"].int(forKey: "k") == 1)
    }
}
