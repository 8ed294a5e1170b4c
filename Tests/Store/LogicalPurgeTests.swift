import Shale
import Testing

/// Purged and dropped entries are invisible at once.
@Suite struct LogicalPurgeTests {
    @Test func nothingOlderComesBack() throws {
        let fixture = try StoreFixture(isSmall: true)
        let namespace = fixture["n"]
        try namespace.set("old", forKey: "k")
        try fixture.store.engine.flush()
        try namespace.set("new", forKey: "k", options: .purgeable)
        try fixture.store.purgeNow()
        #expect(try namespace.string(forKey: "k") == nil)
        try fixture.reopen()
        #expect(try fixture["n"].string(forKey: "k") == nil)
        try fixture.store.engine.compact()
        #expect(try fixture["n"].string(forKey: "k") == nil)
        try fixture.reopen()
        #expect(try fixture["n"].string(forKey: "k") == nil)
    }

    @Test func aScanThatHasBegunStillSeesThem() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        for index in 0..<5 { try namespace.set(index, forKey: "\(index)", options: .purgeable) }
        let scan = namespace.keys.cursor()
        #expect(try scan.next() == "0")
        try fixture.store.purgeNow()
        #expect(try namespace.count() == 0)
        var rest: [EntryKey] = []
        while let key = try scan.next() { rest.append(key) }
        #expect(rest == ["1", "2", "3", "4"])
    }

    @Test func aPurgeKeepsToItsScope() throws {
        let scopes: [(String, (StoreFixture) -> PurgeScope, [Bool])] = [
            ("all", { _ in .all }, [true, true, true, true]), ("common", { _ in .common }, [true, true, false, false]),
            ("user", { _ in .user("a") }, [false, false, true, false]),
            ("namespace", { .namespace($0["n"]) }, [true, false, false, false]),
            ("subtree", { .subtree($0["n"]) }, [true, true, false, false]),
            ("missing", { .namespace($0["missing"]) }, [false, false, false, false]),
        ]
        for (name, scope, isPurged) in scopes {
            let fixture = try StoreFixture()
            let all = [
                fixture["n"], fixture["n"].child("c"), fixture.store.user("a")["n"], fixture.store.user("ab")["n"],
            ]
            for namespace in all { try namespace.set(1, forKey: "k", options: .purgeable) }
            let report = try fixture.store.purgeNow(scope(fixture))
            #expect(report.entries == UInt64(isPurged.count { $0 }), "\(name)")
            for (namespace, isPurged) in zip(all, isPurged) {
                #expect(try namespace.contains("k") == !isPurged, "\(name)")
            }
        }
    }
}

@Suite struct PurgeableTests {
    @Test func aPurgeTakesPurgeableEntriesOnly() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set(1, forKey: "stays")
        try namespace.set(2, forKey: "goes", options: .purgeable)
        try namespace.set(
            [3], forKey: "goes too", as: .json, options: [.purgeable, .expires(after: .seconds(1 * 86_400))])
        try fixture.store.purgeNow()
        #expect(try namespace.keys.array() == ["stays"])
        try fixture.reopen()
        #expect(try fixture["n"].keys.array() == ["stays"])
    }

    @Test func theLastWriteDecides() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set(1, forKey: "a", options: .purgeable)
        try namespace.set(1, forKey: "a")
        try namespace.set(1, forKey: "b")
        try namespace.set(1, forKey: "b", options: .purgeable)
        try fixture.store.purge()
        #expect(try namespace.keys.array() == ["a"])
    }

    @Test func aNamespaceCanMakeItsEntriesPurgeable() throws {
        let fixture = try StoreFixture()
        try fixture["n"].setOptions(NamespaceOptions(isPurgeable: true))
        try fixture.reopen()
        let namespace = fixture["n"]
        try namespace.set(1, forKey: "a")
        try namespace.set(1, forKey: "b", options: .notPurgeable)
        try fixture.store.write { (batch) throws(StorageError) in try batch.set(1, forKey: "c", in: namespace) }
        try fixture.store.transaction { (transaction) throws(StorageError) in
            try transaction.set(1, forKey: "d", in: namespace)
        }
        #expect(try namespace.info(forKey: "a")?.isPurgeable == true)
        try fixture.store.purgeNow()
        #expect(try namespace.keys.array() == ["b"])
    }
}
