import Shale
import ShalePlatform
import TestSupport
import Testing

/// A snapshot of the store: all namespaces at one moment.
@Suite struct SnapshotReaderTests {
    @Test func allReadsSeeTheMoment() throws {
        let fixture = try StoreFixture()
        let (a, b) = (fixture["a"], fixture.store.user("u")["b"])
        try a.set(1, forKey: "k")
        try a.set("text", forKey: "s", options: .purgeable)
        try b.set([1, 2], forKey: "k")
        let snapshot = try fixture.store.snapshot()
        try a.set(2, forKey: "k")
        try a.remove("s")
        try a.set(3, forKey: "new")
        try b.set([3], forKey: "k")
        let reader = snapshot[a]
        #expect(try reader.int(forKey: "k") == 1)
        #expect(try reader.string(forKey: "s") == "text")
        #expect(try reader.value(forKey: "k", default: 9) == 1)
        #expect(try reader.object(forKey: "k") == .int(1))
        #expect(try reader.payload(forKey: "s")?.bytes == Array("text".utf8))
        #expect(try reader.contains("s") && !reader.contains("new"))
        #expect(try reader.info(forKey: "s")?.isPurgeable == true)
        #expect(try reader.values(forKeys: ["k", "new"], as: Int.self) == [1, nil])
        #expect(try reader.keys.array() == ["k", "s"])
        #expect(try reader.entries.reversed().first()?.value(as: String.self) == "text")
        #expect(try reader.keys(matching: .glob("?")) == ["k", "s"])
        #expect(try reader.count() == 2)
        #expect(try snapshot[b].value(forKey: "k", as: [Int].self) == [1, 2])
        #expect(try a.int(forKey: "k") == 2 && a.count() == 2)
    }

    @Test func aBatchIsSeenAsAWhole() throws {
        let fixture = try StoreFixture()
        let (a, b) = (fixture["a"], fixture["b"])
        let before = try fixture.store.snapshot()
        try fixture.store.write { (batch) throws(StorageError) in
            try batch.set(1, forKey: "k", in: a)
            try batch.set(1, forKey: "k", in: b)
        }
        let after = try fixture.store.snapshot()
        #expect(try before[a].int(forKey: "k") == nil && before[b].int(forKey: "k") == nil)
        #expect(try after[a].int(forKey: "k") == 1 && after[b].int(forKey: "k") == 1)
        #expect(after.sequence > before.sequence)
    }

    @Test func purgesAndTruncationsDontChangeIt() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set(1, forKey: "a", options: .purgeable)
        try namespace.set(2, forKey: "b")
        let snapshot = try fixture.store.snapshot()
        try fixture.store.purge()
        #expect(try namespace.keys.array() == ["b"])
        try namespace.truncate()
        try fixture.store.engine.compact()
        #expect(try namespace.count() == 0)
        #expect(try snapshot[namespace].keys.array() == ["a", "b"])
        #expect(try snapshot[namespace].values(forKeys: ["b", "a"], as: Int.self) == [2, 1])
    }

    @Test func anEntryThatHadNotExpiredStays() throws {
        let fixture = try StoreFixture()
        try fixture["n"].set(1, forKey: "k", options: .expires(after: .seconds(10)))
        let snapshot = try fixture.store.snapshot()
        fixture.time.advance(milliseconds: 20_000)
        #expect(try !fixture["n"].contains("k"))
        #expect(try snapshot[fixture["n"]].int(forKey: "k") == 1)
    }

    /// A namespace of the same name that was created after a drop is another one.
    @Test func aDroppedNamespaceIsAnError() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set(1, forKey: "k")
        let reader = try fixture.store.snapshot()[namespace]
        let cursor = reader.keys.cursor()
        try namespace.drop()
        func check() {
            #expect(code { () throws(StorageError) in _ = try reader.int(forKey: "k") } == .namespaceDropped)
            #expect(code { () throws(StorageError) in _ = try reader.contains("k") } == .namespaceDropped)
            #expect(code { () throws(StorageError) in _ = try reader.keys.array() } == .namespaceDropped)
            #expect(code { () throws(StorageError) in _ = try reader.count() } == .namespaceDropped)
            #expect(
                code { () throws(StorageError) in _ = try reader.values(forKeys: ["k"], as: Int.self) }
                    == .namespaceDropped)
        }
        check()
        try namespace.set(2, forKey: "k")
        check()
        #expect(try namespace.int(forKey: "k") == 2)
        _ = cursor
    }

    @Test func aNamespaceThatDidNotExistReadsAsEmpty() throws {
        let fixture = try StoreFixture()
        let snapshot = try fixture.store.snapshot()
        try fixture["n"].set(1, forKey: "k")
        let reader = snapshot[fixture["n"]]
        #expect(try reader.int(forKey: "k") == nil && reader.keys.array().isEmpty && reader.count() == 0)
        #expect(try reader.values(forKeys: ["k"], as: Int.self) == [nil])
        #expect(try snapshot[fixture["other"]].contains("k") == false)
    }

    @Test func aNamespaceOfAnotherStoreIsRefused() throws {
        let (fixture, other) = (try StoreFixture(), try StoreFixture())
        try other["n"].set(1, forKey: "k")
        let reader = try fixture.store.snapshot()[other["n"]]
        #expect(code { () throws(StorageError) in _ = try reader.int(forKey: "k") } == .invalidArgument)
    }

    /// The versions are held as long as a copy exists, and no longer.
    @Test func itEndsWithItsLastCopy() throws {
        let fixture = try StoreFixture()
        try fixture["n"].set(1, forKey: "k")
        fixture.time.advance(milliseconds: 5000)
        #expect(fixture.store.engine.statistics.oldestSnapshotAge == .zero)
        do {
            let reader = try fixture.store.snapshot()[fixture["n"]]
            fixture.time.advance(milliseconds: 5000)
            #expect(fixture.store.engine.statistics.oldestSnapshotAge == .seconds(5))
            #expect(try reader.int(forKey: "k") == 1)
        }
        #expect(fixture.store.engine.statistics.oldestSnapshotAge == .zero)
    }

    @Test func aFunctionTakesAnyReader() throws {
        func sum(_ reader: some NamespaceReader) throws(StorageError) -> Int {
            try reader.entries.reduce(0) { (sum, entry) throws(StorageError) in sum + (try entry.value(as: Int.self)) }
        }
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        for index in 1...4 { try namespace.set(index, forKey: "\(index)") }
        let snapshot = try fixture.store.snapshot()
        try namespace.set(10, forKey: "5")
        let own = try fixture.store.transaction { (transaction) throws(StorageError) in
            try transaction.set(100, forKey: "6", in: namespace)
            return try sum(transaction[namespace])
        }
        #expect(try sum(snapshot[namespace]) == 10 && sum(namespace) == 120 && own == 120)
    }
}
