import Shale
import Testing

@Suite struct NamespaceLifeTests {
    @Test func aNamespaceBeginsWithItsFirstWrite() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        #expect(try namespace.int(forKey: "k") == nil)
        #expect(try namespace.keys.array().isEmpty)
        #expect(try namespace.count() == 0)
        try namespace.remove("k")
        #expect(try !namespace.exists)
        #expect(fixture.store.common.namespaceNames.isEmpty)
        try namespace.set(1, forKey: "k")
        #expect(try namespace.exists)
        #expect(fixture.store.common.namespaceNames == ["n"])
    }

    @Test func droppingOneLevelLeavesTheOthers() throws {
        let fixture = try StoreFixture()
        let parent = fixture["p"]
        let child = parent.child("c")
        for namespace in [parent, child, fixture["p2"]] { try namespace.set(1, forKey: "k") }
        try parent.drop()
        try fixture.reopen()
        #expect(try !fixture["p"].exists)
        #expect(try fixture["p"].child("c").int(forKey: "k") == 1)
        #expect(try fixture["p2"].int(forKey: "k") == 1)
        #expect(fixture.store.common.namespaceNames == ["p", "p2"])
        #expect(fixture["p"].childNames == ["c"])
    }

    @Test func droppingASubtreeTakesAllBelow() throws {
        let fixture = try StoreFixture()
        let parent = fixture["p"]
        let inside = [parent, parent.child("c"), parent.child("c").child("d"), parent.child("")]
        let outside = [fixture["p2"], fixture["q"].child("p"), fixture.store.user("p")["p"]]
        for namespace in inside + outside { try namespace.set(1, forKey: "k") }
        try parent.dropSubtree()
        for namespace in inside { #expect(try namespace.int(forKey: "k") == nil) }
        for namespace in outside { #expect(try namespace.int(forKey: "k") == 1) }
        try fixture.reopen()
        #expect(try fixture["p"].child("c").int(forKey: "k") == nil)
        #expect(fixture["p"].childNames.isEmpty)
    }

    @Test func aDroppedNamespaceIsMadeAnewByTheNextWrite() throws {
        let fixture = try StoreFixture()
        let one = fixture["n"]
        let two = fixture.store.common["n"]
        #expect(one == two)
        for round in 0..<5 {
            try one.set(round, forKey: "k")
            #expect(try two.int(forKey: "k") == round)
            try two.drop()
            #expect(try one.int(forKey: "k") == nil)
            #expect(try one.value(forKey: "other", as: Int.self) == nil)
        }
        try fixture.store.write { (batch) throws(StorageError) in try batch.set(9, forKey: "k", in: one) }
        #expect(try two.int(forKey: "k") == 9)
    }

    @Test func aNamespaceDroppedBelowTheStoreIsNoticed() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set(1, forKey: "k")
        try fixture.store.engine.drop(fixture.store.engine.namespaces.map(\.id))
        #expect(try namespace.int(forKey: "k") == nil)
        try namespace.set(2, forKey: "k")
        #expect(try namespace.int(forKey: "k") == 2)
    }

    @Test func truncatingKeepsTheNamespace() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.setOptions(NamespaceOptions(isPurgeable: true))
        try namespace.set(1, forKey: "k")
        try namespace.child("c").set(1, forKey: "k")
        try namespace.truncate()
        #expect(try namespace.count() == 0)
        #expect(try namespace.exists)
        #expect(try namespace.options.isPurgeable)
        try fixture.reopen()
        #expect(try fixture["n"].int(forKey: "k") == nil)
        #expect(try fixture["n"].child("c").int(forKey: "k") == 1)
    }

    @Test func aDroppedNamespaceLosesItsOptions() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.setOptions(NamespaceOptions(isPurgeable: true, timeToLive: .seconds(1)))
        try namespace.set(1, forKey: "k")
        try namespace.drop()
        #expect(try namespace.options == .standard)
        try namespace.set(1, forKey: "k")
        let info = try #require(try namespace.info(forKey: "k"))
        #expect(!info.isPurgeable && info.expiresAt == nil)
    }
}

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
