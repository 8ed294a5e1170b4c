import Shale
import TestSupport
import Testing

/// The signed-in user.
@Suite struct CurrentUserTests {
    @Test func withoutAUserTheCurrentSpaceIsAnError() throws {
        let store = try StoreFixture().store
        #expect(store.currentUser == nil)
        #expect(code { () throws(StorageError) in try store.current } == .noCurrentUser)
        #expect(code { () throws(StorageError) in try store.signIn("") } == .invalidArgument)
        #expect(store.currentUser == nil)
    }

    @Test func aSpaceThatWasTakenKeepsItsUser() throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        try store.signIn("a")
        let space = try store.current
        try store.signIn("b")
        try space["n"].set(1, forKey: "k")
        #expect(store.currentUser == "b")
        #expect(try store.user("a")["n"].int(forKey: "k") == 1)
        #expect(try store.current["n"].int(forKey: "k") == nil)
    }

    @Test func everyStreamGetsAllEventsInOrder() async throws {
        var fixture: StoreFixture? = try StoreFixture()
        let streams = try #require(fixture).store
        let first = streams.userEvents
        let second = streams.userEvents
        try streams.signIn("a")
        try streams.signIn("a")
        try streams.signIn("b")
        streams.signOut()
        streams.signOut()
        let expected: [UserEvent] = [.signedIn("a"), .renewed("a"), .switched(from: "a", to: "b"), .signedOut("b")]
        for stream in [first, second] {
            var seen: [UserEvent] = []
            for await event in stream {
                seen.append(event)
                if seen.count == expected.count { break }
            }
            #expect(seen == expected)
        }
        fixture = nil
    }

    @Test func allOpeningsShareTheUser() throws {
        let fixture = try StoreFixture()
        let other = try Store(at: fixture.path, options: fixture.options)
        try other.signIn("a")
        #expect(fixture.store.currentUser == "a")
        try other.close()
    }

    @Test func usersThatOnlyLookTheSameAreSwitchedBetween() async throws {
        let store = try StoreFixture().store
        let events = store.userEvents
        try store.signIn("\u{E9}")
        try store.signIn("e\u{301}")
        var iterator = events.makeAsyncIterator()
        _ = await iterator.next()
        guard case .switched? = await iterator.next() else {
            Issue.record("the second sign-in was taken for the first one's")
            return
        }
    }
}
