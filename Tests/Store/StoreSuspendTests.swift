import Shale
import TestSupport
import Testing

/// A store that is suspended and resumed.
@Suite struct StoreSuspendTests {
    @Test func aResumedStoreShowsWhatAnotherWriterWrote() throws {
        let fixture = try StoreFixture()
        let second = try Store(at: fixture.path, options: fixture.options)
        try fixture.store.signIn("ada")
        let orders = fixture["orders"]
        try orders.set(1, forKey: "count")
        let suspended = try fixture.store.suspend()
        // The other opening has ended too, and may be closed as always.
        #expect(code { () throws(StorageError) in _ = try orders.int(forKey: "count") } == .closed)
        #expect(code { () throws(StorageError) in try second.common["orders"].set(2, forKey: "count") } == .closed)
        try second.close()
        #expect(code { () throws(StorageError) in _ = try fixture.store.suspend() } == .closed)
        let writer = try Store(at: fixture.path, options: fixture.options)
        try writer.common["orders"].set(3, forKey: "count")
        try writer.close()
        let resumed = try suspended.resume()
        #expect(try resumed.common["orders"].int(forKey: "count") == 3)
        #expect(resumed.currentUser == "ada")
        try resumed.common["orders"].set(4, forKey: "count")
        try resumed.close()
    }

    @Test func observationsEndAndContinueWithoutAGapUnnoticed() async throws {
        let fixture = try StoreFixture()
        let changes = try fixture["n"].changes()
        try fixture["n"].set(1, forKey: "a")
        let suspended = try await fixture.store.suspend()
        var seen: [Store.Change] = []
        for await change in changes { seen.append(change) }
        #expect(seen.count == 1)
        let writer = try Store(at: fixture.path, options: fixture.options)
        try writer.common["n"].set(2, forKey: "a")
        try await writer.close()
        let resumed = try await suspended.resume()
        let last = try #require(seen.last?.sequence)
        let next = try resumed.common["n"].changes(since: last)
        #expect(next.next(waiting: .seconds(10)) == .gap(from: last + 1, to: last + 1))
        try await resumed.close()
    }
}
