import Shale
import TestSupport
import Testing

@Suite struct TransactionTests {
    @Test func aTransactionReadsWhatItWrote() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set(1, forKey: "a")
        let sum = try fixture.store.transaction { (transaction) throws(StorageError) in
            try transaction.set(5, forKey: "b", in: namespace)
            try transaction.remove("a", in: namespace)
            #expect(try !transaction.contains("a", in: namespace))
            #expect(try transaction.object(forKey: "b", in: namespace) == .int(5))
            return try transaction.value(forKey: "b", in: namespace, as: Int.self) ?? 0
        }
        #expect(sum == 5)
        #expect(try namespace.keys.array() == ["b"])
    }

    @Test func aConflictRunsItAgain() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        var runs = 0
        try fixture.store.transaction { (transaction) throws(StorageError) in
            runs += 1
            let value = try transaction.value(forKey: "k", in: namespace, as: Int.self) ?? 0
            if runs == 1 { try namespace.set(10, forKey: "k") }
            try transaction.set(value + 1, forKey: "k", in: namespace)
        }
        #expect(runs == 2)
        #expect(try namespace.int(forKey: "k") == 11)
    }

    @Test func aConflictThatStaysIsAnError() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        let found = code { () throws(StorageError) in
            try fixture.store.transaction(attempts: 3) { (transaction) throws(StorageError) in
                let seen = try transaction[namespace].count()
                try namespace.set(seen, forKey: "\(seen)")
                try transaction.set(0, forKey: "sum", in: namespace)
            }
        }
        #expect(found == .conflict)
        #expect(try namespace.keys.array() == ["0", "1", "2"])
    }

    @Test func compareAndSetNeedsTheExpectedValue() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        #expect(try namespace.compareAndSet(1, forKey: "k", expecting: nil))
        #expect(try !namespace.compareAndSet(2, forKey: "k", expecting: nil))
        #expect(try !namespace.compareAndSet(2, forKey: "k", expecting: 5))
        #expect(try namespace.compareAndSet(2, forKey: "k", expecting: 1, options: .purgeable))
        #expect(try namespace.compareAndSet(nil, forKey: "k", expecting: 2))
        #expect(try !namespace.contains("k"))
        try namespace.set("text", forKey: "k")
        #expect(
            code { () throws(StorageError) in try namespace.compareAndSet(1, forKey: "k", expecting: 0) }
                == .typeMismatch)
        #expect(try namespace.compareAndSet(["a"], forKey: "j", expecting: nil))
        #expect(try namespace.compareAndSet(["b"], forKey: "j", expecting: ["a"]))
    }
}

/// A transaction has all setters of a batch.
@Suite struct TransactionSetterTests {
    private struct Place {
        var city = "Lund"
        var floors = [1, 2]
    }

    private typealias Codecs = CustomCodecTests

    @Test func everyFormatIsStoredAsByABatch() throws {
        let fixture = try StoreFixture(codecs: [Codecs.PointCodec()])
        let (batched, transacted) = (fixture["batch"], fixture["transaction"])
        let tree: StructuredValue = ["volume": 0.5, "recent": ["a", "b"]]
        let point = Codecs.Point(x: 1, y: 2)
        try fixture.store.write { (batch) throws(StorageError) in
            try batch.set(reflecting: Place(), forKey: "reflected", in: batched)
            try batch.setObject(tree, forKey: "tree", in: batched, options: .purgeable)
            try batch.set(point, forKey: "point", in: batched, using: Codecs.PointCodec())
        }
        try fixture.store.transaction { (transaction) throws(StorageError) in
            try transaction.set(reflecting: Place(), forKey: "reflected", in: transacted)
            try transaction.setObject(tree, forKey: "tree", in: transacted, options: .purgeable)
            try transaction.set(point, forKey: "point", in: transacted, using: Codecs.PointCodec())
            #expect(try transaction.object(forKey: "tree", in: transacted) == StoredValue.propertyList(tree))
        }
        for key in ["reflected", "tree", "point"] {
            #expect(try transacted.object(forKey: key) == batched.object(forKey: key))
            let (a, b) = (try transacted.info(forKey: key), try batched.info(forKey: key))
            #expect(a?.codec == b?.codec && a?.isPurgeable == b?.isPurgeable)
        }
    }

    @Test func settingNilRemoves() throws {
        let fixture = try StoreFixture(codecs: [Codecs.PointCodec()])
        let namespace = fixture["n"]
        for key in ["a", "b", "c"] { try namespace.set(1, forKey: key) }
        try fixture.store.transaction { (transaction) throws(StorageError) in
            try transaction.set(reflecting: Place?.none, forKey: "a", in: namespace)
            try transaction.setObject(nil, forKey: "b", in: namespace)
            try transaction.set(nil, forKey: "c", in: namespace, using: Codecs.PointCodec())
        }
        #expect(try namespace.keys.array().isEmpty)
    }

    /// A value that a format refuses ends the transaction, and nothing is written.
    @Test func aRefusedValueWritesNothing() throws {
        let fixture = try StoreFixture(codecs: [Codecs.PointCodec()])
        let namespace = fixture["n"]
        let error = #expect(throws: StorageError.self) {
            try fixture.store.transaction { (transaction) throws(StorageError) in
                try transaction.set(1, forKey: "a", in: namespace)
                try transaction.set(
                    Codecs.Point(x: 0, y: 0), forKey: "b", in: namespace, using: Codecs.PointCodec())
            }
        }
        #expect(error?.code == .codecFailure)
        #expect(try namespace.keys.array().isEmpty)
    }
}
