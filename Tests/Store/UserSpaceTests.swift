import Shale
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
