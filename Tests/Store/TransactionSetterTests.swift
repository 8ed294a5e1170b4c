import Shale
import Testing

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
            try batch.setObject(tree, forKey: "tree", in: batched, .purgeable)
            try batch.set(point, forKey: "point", in: batched, using: Codecs.PointCodec())
        }
        try fixture.store.transaction { (transaction) throws(StorageError) in
            try transaction.set(reflecting: Place(), forKey: "reflected", in: transacted)
            try transaction.setObject(tree, forKey: "tree", in: transacted, .purgeable)
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
