import Shale
import TestSupport
import Testing

@Suite struct StoreBatchTests {
    @Test func aBatchSpansNamespaces() throws {
        let fixture = try StoreFixture()
        let one = fixture["one"]
        let two = fixture.store.user("u")["two"].child("three")
        try one.set(0, forKey: "old")
        let count = try fixture.store.write(durability: .synced) { (batch) throws(StorageError) in
            try batch.set(1, forKey: "a", in: one)
            try batch.set("x", forKey: "b", in: two, options: .purgeable)
            try batch.set(["j": 1], forKey: "c", in: two)
            try batch.remove("old", in: one)
            try batch.set(2, forKey: "a", in: one)
            return batch.count
        }
        #expect(count == 5)
        try fixture.reopen()
        #expect(try fixture["one"].keys.array() == ["a"])
        #expect(try fixture["one"].int(forKey: "a") == 2)
        #expect(try fixture.store.user("u")["two"].child("three").keys.array() == ["b", "c"])
    }

    @Test func aBatchThatThrowsWritesNothing() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set(1, forKey: "k")
        let error = code { () throws(StorageError) in
            try fixture.store.write { (batch) throws(StorageError) in
                try batch.set(2, forKey: "k", in: namespace)
                try batch.set(1, forKey: String(repeating: "x", count: 20_000), in: namespace)
            }
        }
        #expect(error == .invalidArgument)
        #expect(try namespace.int(forKey: "k") == 1)
    }

    @Test func aNamespaceDroppedMeanwhileFailsTheBatchOnce() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set(1, forKey: "k")
        func run(dropping: Bool) -> StorageError.Code? {
            code { () throws(StorageError) in
                try fixture.store.write { (batch) throws(StorageError) in
                    try batch.set(2, forKey: "k", in: namespace)
                    try batch.set(2, forKey: "k", in: fixture["other"])
                    if dropping { try namespace.drop() }
                }
            }
        }
        #expect(run(dropping: true) == .namespaceDropped)
        #expect(try fixture["other"].int(forKey: "k") == nil)
        #expect(run(dropping: false) == nil)
        #expect(try namespace.int(forKey: "k") == 2)
    }

    @Test func anotherStoresNamespaceIsRefused() throws {
        let fixture = try StoreFixture()
        let other = try StoreFixture()
        let found = code { () throws(StorageError) in
            try fixture.store.write { (batch) throws(StorageError) in try batch.set(1, forKey: "k", in: other["n"]) }
        }
        #expect(found == .invalidArgument)
    }
}
