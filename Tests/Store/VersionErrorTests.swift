import Shale
import ShaleBase
import TestSupport
import Testing

/// Missing, newer, deleted, mistyped and damaged values with versions each have an answer of their own.
@Suite struct VersionErrorTests {
    private static func reading<Value>(_ fixture: StoreFixture, _ codec: VersionedCodec<Value>) -> StorageError.Code? {
        code { () throws(StorageError) in try fixture["n"].value(forKey: "k", using: codec) }
    }

    @Test func aMissingKeyIsNil() throws {
        let fixture = try StoreFixture()
        #expect(try fixture["n"].value(forKey: "k", using: Item.codec) == nil)
    }

    @Test func aNewerVersionIsItsOwnError() throws {
        let fixture = try StoreFixture()
        try fixture["n"].set(Item.migrated("a", 1), forKey: "k", using: Item.codec)
        #expect(Self.reading(fixture, Item.second) == .newerFormat)
        let updating = code { () throws(StorageError) in
            try fixture["n"].update(forKey: "k", using: Item.first, default: ItemV1(name: "", count: 0)) { _ in }
        }
        #expect(updating == .newerFormat)
        #expect(try fixture["n"].storedVersion(forKey: "k") == 3, "nothing is written")
    }

    @Test func aDeletedVersionIsACodecFailure() throws {
        let fixture = try StoreFixture()
        let late = VersionedCodec(ItemV2.self, version: 2)
        try fixture["n"].set(ItemV1(name: "a", count: 1), forKey: "k", using: Item.first)
        #expect(Self.reading(fixture, late) == .codecFailure)
        try fixture["n"].set(ItemV1(name: "a", count: 1), forKey: "k")
        #expect(Self.reading(fixture, late) == .codecFailure, "a plain value has version 1")
    }

    @Test func anErrorOfAMigrationIsTheCause() throws {
        let fixture = try StoreFixture()
        try fixture["n"].set(ItemV1(name: "refused", count: 1), forKey: "k")
        do throws(StorageError) {
            _ = try fixture["n"].value(forKey: "k", using: Item.codec)
            Issue.record("the migration refuses this")
        } catch {
            #expect(error.code == .codecFailure && error.cause is Item.Refusal)
        }
        let cancelling = Item.first.then(Item.self) { _ in throw StorageError(.cancelled, "by the test") }
        #expect(Self.reading(fixture, cancelling) == .cancelled)
    }

    @Test func otherTypesAreATypeMismatch() throws {
        let fixture = try StoreFixture()
        for value in ["text"] {
            try fixture["n"].set(value, forKey: "k")
            #expect(Self.reading(fixture, Item.codec) == .typeMismatch)
        }
        try fixture["n"].set(["a"], forKey: "k", as: .json)
        #expect(Self.reading(fixture, Item.codec) == .typeMismatch)
        try fixture["n"].set(["a": 1], forKey: "k", as: .json)
        #expect(Self.reading(fixture, Item.codec) == .codecFailure)
    }

    @Test func plainReadsRefuseVersions() throws {
        let fixture = try StoreFixture()
        try fixture["n"].set(Item.migrated("a", 1), forKey: "k", using: Item.codec)
        #expect(code { () throws(StorageError) in try fixture["n"].value(forKey: "k", as: Item.self) } == .typeMismatch)
        #expect(code { () throws(StorageError) in try fixture["n"].string(forKey: "k") } == .typeMismatch)
        #expect(code { () throws(StorageError) in try fixture["n"].int(forKey: "k") } == .typeMismatch)
    }

    @Test(arguments: [
        [], [1, 0, 0, 0], [0, 0, 0, 0, 16, 49], [1, 0, 0, 0, 0, 49], [1, 0, 0, 0, 19, 1, 0, 0, 0, 16, 49],
    ])
    func damagedVersionsAreCorruption(_ payload: [UInt8]) throws {
        let fixture = try StoreFixture()
        try fixture.plant([19, 0] + payload, forKey: "k", in: "n")
        #expect(Self.reading(fixture, Item.codec) == .corruption)
        #expect(code { () throws(StorageError) in try fixture["n"].object(forKey: "k") } == .corruption)
        let storing = code { () throws(StorageError) in
            try fixture["n"].setPayload(payload, codec: .versioned, forKey: "new")
        }
        #expect(storing == .codecFailure)
    }

    @Test func documentsOfUnknownCodecsAreANewerFormat() throws {
        let fixture = try StoreFixture()
        for codec: UInt8 in [21, 200] {
            try fixture.plant([19, 0, 1, 0, 0, 0, codec, 1], forKey: "k", in: "n")
            #expect(Self.reading(fixture, Item.codec) == .newerFormat)
            #expect(code { () throws(StorageError) in try fixture["n"].object(forKey: "k") } == .newerFormat)
        }
    }
}
