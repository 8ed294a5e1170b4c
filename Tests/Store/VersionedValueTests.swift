import Shale
import ShaleBase
import TestSupport
import Testing

extension Keys {
    fileprivate static let item = Key<Item>("item", default: Item(name: "none", tenths: 0, tags: []), using: Item.codec)
    fileprivate static let draft = Key<Item?>("draft", using: Item.codec)
}

/// Values with versions: what is stored, and what reads make of each version.
@Suite struct VersionedValueTests {
    @Test func everyVersionReadsAsTheCurrentOne() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set(ItemV1(name: "plain", count: 4), forKey: "0")
        try namespace.set(ItemV1(name: "list", count: 4), forKey: "1", as: .propertyList)
        try namespace.set(ItemV1(name: "one", count: 4), forKey: "2", using: Item.first)
        try namespace.set(ItemV2(name: "two", tenths: 40), forKey: "3", using: Item.second)
        try namespace.set(Item.migrated("three", 4), forKey: "4", using: Item.codec)
        try fixture.reopen()
        for (key, name) in ["plain", "list", "one", "two", "three"].enumerated() {
            #expect(try fixture["n"].value(forKey: "\(key)", using: Item.codec) == Item.migrated(name, 4))
        }
        let versions = try (0..<5).map { try fixture["n"].storedVersion(forKey: "\($0)") }
        #expect(versions == [nil, nil, 1, 2, 3], "reads write nothing")
    }

    @Test func theVersionStandsBeforeTheDocument() throws {
        let fixture = try StoreFixture()
        try fixture["n"].set(Item(name: "a", tenths: 1, tags: []), forKey: "k", using: Item.codec)
        let (codec, bytes) = try #require(try fixture["n"].payload(forKey: "k"))
        #expect(codec == .versioned && codec.rawValue == 19)
        #expect(bytes == [3, 0, 0, 0, 16] + Array(#"{"name":"a","tags":[],"tenths":1}"#.utf8))
        try fixture["n"].setPayload(bytes, codec: codec, forKey: "copy")
        #expect(try fixture["n"].value(forKey: "copy", using: Item.codec)?.name == "a")
    }

    @Test func plainContentNeverLooksLikeAVersion() throws {
        let fixture = try StoreFixture()
        let texts = VersionedCodec(String.self).then(Int.self) { $0.utf8.count }
        // The bytes of a payload with version 2, as plain text and as plain bytes.
        try fixture["n"].set("\u{2}\0\0\0\u{10}12345678", forKey: "text")
        #expect(try fixture["n"].value(forKey: "text", using: texts) == 13)
        let bytes = VersionedCodec([UInt8].self).then(Int.self) { $0.count }
        try fixture["n"].set([2, 0, 0, 0, 16, 49] as [UInt8], forKey: "bytes")
        #expect(try fixture["n"].value(forKey: "bytes", using: bytes) == 6)
        try fixture["n"].set(7, forKey: "number", using: texts)
        #expect(try fixture["n"].object(forKey: "number") == .versioned(2, .int(7)))
    }

    @Test func typedKeysMigrateAndHaveDefaults() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        #expect(try namespace.value(for: .item).name == "none" && namespace.value(for: .draft) == nil)
        try namespace.set(ItemV1(name: "a", count: 1), forKey: "item")
        try namespace.set(ItemV2(name: "b", tenths: 20), forKey: "draft", using: Item.second)
        #expect(try namespace.value(for: .item) == Item.migrated("a", 1))
        #expect(try namespace.value(for: .draft) == Item.migrated("b", 2))
        namespace[.item].tags = ["new"]
        #expect(try namespace.storedVersion(forKey: "item") == 3 && namespace[.item].tags == ["new"])
        try namespace.set(nil, for: .draft)
        #expect(try !namespace.contains("draft"))
    }

    @Test func anUpdateStoresTheCurrentVersionAndKeepsTheEntry() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        let options: ValueOptions = [.purgeable, .expires(after: .seconds(60))]
        try namespace.set(ItemV1(name: "a", count: 1), forKey: "item", as: .propertyList, options: options)
        try namespace.set(ItemV1(name: "b", count: 2), forKey: "k", as: .propertyList, options: options)
        let before = try #require(try namespace.info(forKey: "k"))
        try namespace.update(for: .item) { _ in }
        let start = Item(name: "", tenths: 0, tags: [])
        try namespace.update(forKey: "k", using: Item.codec, default: start) { $0.tags = [] }
        try namespace.update(forKey: "new", using: Item.codec, default: start) { $0.tags = ["begun"] }
        for key in ["item", "k"] {
            let after = try #require(try namespace.info(forKey: key))
            #expect(after.isPurgeable && after.expiresAt == before.expiresAt)
            guard case .versioned(3, .propertyList) = try namespace.object(forKey: key) else {
                Issue.record("\(key) does not keep its format")
                continue
            }
        }
        #expect(try namespace.value(forKey: "k", using: Item.codec) == Item(name: "b", tenths: 21, tags: []))
        #expect(try namespace.value(forKey: "new", using: Item.codec)?.tags == ["begun"])
    }

    @Test func allReadersAndWritersUseTheCodec() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set(ItemV1(name: "a", count: 1), forKey: "a")
        let snapshot = try fixture.store.snapshot()
        try fixture.store.write { (batch) throws(StorageError) in
            try batch.set(Item.migrated("b", 2), forKey: "b", in: namespace, using: Item.codec)
            try batch.set(nil, forKey: "a", in: namespace, using: Item.codec)
        }
        try fixture.store.transaction { (transaction) throws(StorageError) in
            try transaction.set(Item.migrated("c", 3), forKey: "c", in: namespace, using: Item.codec)
            #expect(try transaction[namespace].value(forKey: "c", using: Item.codec) == Item.migrated("c", 3))
        }
        #expect(try snapshot[namespace].value(forKey: "a", using: Item.codec) == Item.migrated("a", 1))
        let names = try namespace.entries.map { (entry) throws(StorageError) in
            try entry.value(using: Item.codec).name
        }
        #expect(names == ["b", "c"])
        let several = try namespace.values(forKeys: ["c", "missing", "b"], using: Item.codec)
        #expect(several == [Item.migrated("c", 3), nil, Item.migrated("b", 2)])
    }

    @Test func observersGetTheCurrentVersion() async throws {
        let fixture = try StoreFixture()
        try fixture["n"].set(ItemV1(name: "a", count: 1), forKey: "draft")
        for try await item in try fixture["n"].values(for: .draft) {
            #expect(item == Item.migrated("a", 1))
            break
        }
    }

    @Test func aStepReadsDocumentsOfATypeThatIsGone() throws {
        let fixture = try StoreFixture()
        let codec = VersionedCodec(StructuredValue.self, version: 2).then(Item.self) { document in
            guard case .dictionary(let members) = document, case .string(let name) = members["name"] else {
                throw Item.Refusal()
            }
            return Item(name: name, tenths: 0, tags: [])
        }
        #expect(codec.first == 2 && codec.current == 3)
        for (key, format) in [("json", CodableFormat.json), ("list", .propertyList)] {
            let second = VersionedCodec(ItemV2.self, version: 2, as: format)
            try fixture["n"].set(ItemV2(name: key, tenths: 1), forKey: key, using: second)
            #expect(try fixture["n"].value(forKey: key, using: codec)?.name == key)
        }
    }
}
