import Shale
import Testing

@Suite struct PurgeableTests {
    @Test func aPurgeTakesPurgeableEntriesOnly() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set(1, forKey: "stays")
        try namespace.set(2, forKey: "goes", .purgeable)
        try namespace.set([3], forKey: "goes too", as: .json, [.purgeable, .expires(after: .days(1))])
        try fixture.store.purgeNow()
        #expect(try namespace.keys.array() == ["stays"])
        try fixture.reopen()
        #expect(try fixture["n"].keys.array() == ["stays"])
    }

    @Test func theLastWriteDecides() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set(1, forKey: "a", .purgeable)
        try namespace.set(1, forKey: "a")
        try namespace.set(1, forKey: "b")
        try namespace.set(1, forKey: "b", .purgeable)
        try fixture.store.purge()
        #expect(try namespace.keys.array() == ["a"])
    }

    @Test func aNamespaceCanMakeItsEntriesPurgeable() throws {
        let fixture = try StoreFixture()
        try fixture["n"].setOptions(NamespaceOptions(isPurgeable: true))
        try fixture.reopen()
        let namespace = fixture["n"]
        try namespace.set(1, forKey: "a")
        try namespace.set(1, forKey: "b", .notPurgeable)
        try fixture.store.write { (batch) throws(StorageError) in try batch.set(1, forKey: "c", in: namespace) }
        try fixture.store.transaction { (transaction) throws(StorageError) in
            try transaction.set(1, forKey: "d", in: namespace)
        }
        #expect(try namespace.info(forKey: "a")?.isPurgeable == true)
        try fixture.store.purgeNow()
        #expect(try namespace.keys.array() == ["b"])
    }
}
