import Shale
import ShalePlatform
import Synchronization
import TestSupport
import Testing

@Suite struct UserSpaceTests {
    @Test func usersAndTheCommonSpaceAreApart() throws {
        let fixture = try StoreFixture()
        let spaces = [fixture.store.common, fixture.store.user("a"), fixture.store.user("b")]
        for (index, space) in spaces.enumerated() { try space["n"].set(index, forKey: "k") }
        try fixture.reopen()
        #expect(try fixture.store.common["n"].int(forKey: "k") == 0)
        #expect(try fixture.store.user("a")["n"].int(forKey: "k") == 1)
        #expect(try fixture.store.user("b")["n"].int(forKey: "k") == 2)
        #expect(fixture.store.userIDs == ["a", "b"])
    }

    @Test func aPinnedSpaceKeepsItsUser() throws {
        let fixture = try StoreFixture()
        let pinned = fixture.store.user("a")
        let other = fixture.store.user("b")
        try other["n"].set(2, forKey: "k")
        try pinned["n"].set(1, forKey: "k")
        #expect(pinned.userID == "a")
        #expect(fixture.store.common.userID == nil)
        #expect(try pinned["n"].int(forKey: "k") == 1)
        #expect(try other["n"].int(forKey: "k") == 2)
    }

    @Test func anEmptyUserIDIsRefused() throws {
        let fixture = try StoreFixture()
        let nobody = fixture.store.user("")["n"]
        #expect(code { () throws(StorageError) in try nobody.set(1, forKey: "k") } == .invalidArgument)
        #expect(code { () throws(StorageError) in try nobody.int(forKey: "k") } == .invalidArgument)
    }
}

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
        let expected: [Store.UserEvent] = [
            .signedIn("a"), .renewed("a"), .switched(from: "a", to: "b"), .signedOut("b"),
        ]
        for stream in [first, second] {
            var seen: [Store.UserEvent] = []
            for await event in stream {
                seen.append(event)
                if seen.count == expected.count { break }
            }
            #expect(seen == expected)
        }
        fixture = nil
    }

    @Test func theStreamEndsWhenTheStoreIsClosed() async throws {
        let fixture = try StoreFixture()
        let events = fixture.store.userEvents
        try fixture.store.signIn("a")
        try await fixture.store.close()
        var seen: [Store.UserEvent] = []
        for await event in events { seen.append(event) }
        #expect(seen == [.signedIn("a")])
        for await event in fixture.store.userEvents { Issue.record("\(event) after the close") }
    }

    @Test func allOpeningsShareTheUser() throws {
        let fixture = try StoreFixture()
        let other = try Store(at: fixture.path, options: fixture.options)
        try other.signIn("a")
        #expect(fixture.store.currentUser == "a")
        try other.close()
    }

    @Test func usersThatOnlyLookTheSameAreSwitchedBetween() async throws {
        let fixture = try StoreFixture()
        let events = fixture.store.userEvents
        try fixture.store.signIn("\u{E9}")
        try fixture.store.signIn("e\u{301}")
        var iterator = events.makeAsyncIterator()
        _ = await iterator.next()
        guard case .switched? = await iterator.next() else {
            Issue.record("the second sign-in was taken for the first one's")
            return
        }
    }
}

/// A write that begins for one user never reaches another user's namespace, even while the user changes constantly.
@Suite struct UserSwitchTests {
    @Test func writesStayWithTheUserTheyWereBegunFor() throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        let rounds = Ring.choose(commit: 2000, nightly: 50_000, release: 200_000)
        let isOver = Atomic(false)
        try store.signIn("a")
        let switcher = try WorkerThread.start(name: "switcher") {
            do {
                while !isOver.load(ordering: .relaxed) {
                    try store.signIn("b")
                    try store.signIn("a")
                }
            } catch {
                Issue.record(error)
            }
        }
        for round in 0..<rounds {
            let space = try store.current
            let user = try #require(space.userID)
            try store.write { (batch) throws(StorageError) in
                try batch.set(user, forKey: "\(round) first", in: space["n"])
                try batch.set(user, forKey: "\(round) second", in: space["m"])
            }
        }
        isOver.store(true, ordering: .relaxed)
        switcher.join()
        for user in ["a", "b"] {
            let space = store.user(user)
            #expect(try space["n"].entries.array().allSatisfy { try $0.value(as: String.self) == user })
            #expect(try space["n"].count() == space["m"].count())
        }
        #expect(try store.user("a")["n"].count() + store.user("b")["n"].count() == rounds)
    }
}
