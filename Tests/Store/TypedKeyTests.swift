import Shale
import TestSupport
import Testing

private struct Draft: Codable, Sendable, Equatable {
    var text: String
    var tags: [String] = []
}

extension Keys {
    fileprivate static let quality = Key<Double>("quality", default: 0.8)
    fileprivate static let launches = Key<Int>("launches", default: 0)
    fileprivate static let title = Key<String?>("title")
    fileprivate static let draft = Key<Draft?>("draft", as: .propertyList, options: .purgeable)
    fileprivate static let colour = Key<String?>("colour", default: "red")
    fileprivate static let counts = Key<[String: Int]>("counts", default: ["a": 1])
}

/// Keys that carry the type of their values.
@Suite struct TypedKeyTests {
    @Test func aMissingKeyReadsAsItsDefault() throws {
        let fixture = try StoreFixture()
        let settings = fixture["settings"]
        #expect(try settings.value(for: .quality) == 0.8)
        #expect(try settings.value(for: .title) == nil)
        #expect(try settings.value(for: .counts) == ["a": 1])
        #expect(try !settings.contains(.quality))
    }

    @Test func valuesOfAllKindsComeBackAfterReopening() throws {
        let fixture = try StoreFixture()
        let draft = Draft(text: "t", tags: ["x", "y"])
        try fixture["n"].set(0.5, for: .quality)
        try fixture["n"].set("title", for: .title)
        try fixture["n"].set(draft, for: .draft)
        try fixture["n"].set([:], for: .counts)
        try fixture.reopen()
        #expect(try fixture["n"].value(for: .quality) == 0.5)
        #expect(try fixture["n"].value(for: .title) == "title")
        #expect(try fixture["n"].value(for: .draft) == draft)
        #expect(try fixture["n"].value(for: .counts) == [:])
    }

    @Test func settingNilRemoves() throws {
        let fixture = try StoreFixture()
        try fixture["n"].set("title", for: .title)
        try fixture["n"].set(nil, for: .title)
        #expect(try !fixture["n"].contains(.title))
        try fixture["n"].set(0.1, for: .quality)
        try fixture["n"].remove(.quality)
        #expect(try fixture["n"].value(for: .quality) == 0.8)
    }

    @Test func anOptionalKeyWithADefaultReadsAsTheDefaultAfterNil() throws {
        let fixture = try StoreFixture()
        let settings = fixture["n"]
        #expect(try settings.value(for: .colour) == "red")
        try settings.set("blue", for: .colour)
        #expect(try settings.string(forKey: "colour") == "blue", "the wrapped value is stored")
        #expect(try settings.value(for: .colour) == "blue")
        try settings.set(nil, for: .colour)
        #expect(try settings.value(for: .colour) == "red" && !settings.contains(.colour))
        try fixture.store.write { batch in
            try batch.set("green", for: .colour, in: settings)
            try batch.set(nil, for: .colour, in: settings)
        }
        #expect(try !settings.contains(.colour))
    }

    @Test func plainKeysSeeTheSameValues() throws {
        let fixture = try StoreFixture()
        try fixture["n"].set(3, for: .launches)
        #expect(try fixture["n"].int(forKey: "launches") == 3)
        try fixture["n"].set(4, forKey: "launches")
        #expect(try fixture["n"].value(for: .launches) == 4)
    }

    @Test func formatAndOptionsOfTheKeyAreUsed() throws {
        let fixture = try StoreFixture()
        try fixture["n"].set(Draft(text: "t"), for: .draft)
        let info = try #require(try fixture["n"].info(forKey: "draft"))
        #expect(info.codec == .propertyList)
        #expect(info.isPurgeable)
        try fixture["n"].set(Draft(text: "t"), for: .draft, options: .notPurgeable)
        #expect(try fixture["n"].info(forKey: "draft")?.isPurgeable == false)
    }

    @Test func anotherTypeIsAnErrorAndNotTheDefault() throws {
        let fixture = try StoreFixture()
        try fixture["n"].set("text", forKey: "quality")
        #expect(code { () throws(StorageError) in try fixture["n"].value(for: .quality) } == .typeMismatch)
    }

    @Test func aKeyIsMadeOnce() throws {
        let keys = (0..<3).map { _ in ObjectIdentifier(Keys.quality) }
        #expect(Set(keys).count == 1)
    }

    @Test func batchesAndTransactionsTakeTypedKeys() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try fixture.store.write { (batch) throws(StorageError) in
            try batch.set(1, for: .launches, in: namespace)
            try batch.set(nil, for: .title, in: namespace)
        }
        try fixture.store.transaction { (transaction) throws(StorageError) in
            let launches = try transaction.value(for: .launches, in: namespace)
            try transaction.set(launches + 1, for: .launches, in: namespace)
            try transaction.set("t", for: .title, in: namespace)
        }
        #expect(try namespace.value(for: .launches) == 2)
        #expect(try namespace.value(for: .title) == "t")
    }
}
