import Shale
import Testing

@Suite struct ResetTests {
    private func filled() throws -> StoreFixture {
        let fixture = try StoreFixture()
        for space in [fixture.store.common, fixture.store.user("a"), fixture.store.user("ab")] {
            try space["n"].set(1, forKey: "k")
            try space["n"].child("c").set(1, forKey: "k")
        }
        return fixture
    }

    @Test func removingAUserTakesThatUserAlone() throws {
        let fixture = try filled()
        try fixture.store.removeUser("a")
        try fixture.store.removeUser("nobody")
        try fixture.reopen()
        #expect(fixture.store.userIDs == ["ab"])
        #expect(fixture.store.user("a").namespaceNames.isEmpty)
        #expect(try fixture.store.user("a")["n"].int(forKey: "k") == nil)
        #expect(try fixture.store.user("ab")["n"].child("c").int(forKey: "k") == 1)
        #expect(try fixture["n"].int(forKey: "k") == 1)
    }

    @Test func removingAllLeavesAnEmptyUsableStore() throws {
        let fixture = try filled()
        let kept = fixture["n"]
        try fixture.store.removeAll()
        #expect(fixture.store.engine.namespaces.isEmpty)
        #expect(try kept.int(forKey: "k") == nil)
        try kept.set(2, forKey: "k")
        try fixture.reopen()
        #expect(fixture.store.userIDs.isEmpty)
        #expect(try fixture["n"].int(forKey: "k") == 2)
        #expect(fixture["n"].childNames.isEmpty)
    }
}
