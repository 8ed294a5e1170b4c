import Shale
import ShaleBase
import ShalePlatform
import TestSupport
import Testing

/// The function that may replace a value which its codec can't decode.
@Suite struct LenientDecodingTests {
    private static let substitute = Item(name: "unreadable", tenths: 0, tags: [])

    @Test func aReplacementIsReturnedAndNotStored() throws {
        let fixture = try StoreFixture()
        try fixture["n"].set(["name": "a"], forKey: "k", as: .json)
        let stored = try #require(try fixture["n"].payload(forKey: "k"))
        let lenient = Item.codec.recovering { failure in
            #expect(failure.error.code == .codecFailure && failure.version == 1 && failure.codec == .json)
            #expect(failure.bytes == stored.bytes)
            let document = try failure.decoded(as: StructuredValue.self)
            #expect(document == ["name": "a"])
            return Self.substitute
        }
        #expect(try fixture["n"].value(forKey: "k", using: lenient) == Self.substitute)
        #expect(try fixture["n"].entries.array()[0].value(using: lenient) == Self.substitute)
        #expect(try #require(try fixture["n"].payload(forKey: "k")) == stored)
    }

    @Test func itIsAskedForNewerAndRefusedValues() throws {
        let fixture = try StoreFixture()
        let codes = Locked<[StorageError.Code]>([])
        let lenient = Item.second.recovering { failure in
            codes.withLock { $0.append(failure.error.code) }
            return ItemV2(name: "other", tenths: failure.version)
        }
        try fixture["n"].set(Item.migrated("a", 1), forKey: "newer", using: Item.codec)
        try fixture["n"].set(ItemV1(name: "refused", count: 1), forKey: "refused")
        try fixture["n"].set("text", forKey: "text")
        for (key, version) in [("newer", 3), ("refused", 1), ("text", 1)] {
            #expect(try fixture["n"].value(forKey: key, using: lenient)?.tenths == version)
        }
        #expect(codes.withLock { $0 } == [.newerFormat, .codecFailure, .typeMismatch])
        #expect(try fixture["n"].value(forKey: "missing", using: lenient) == nil)
        #expect(codes.withLock { $0.count } == 3, "it is not asked for a missing key")
    }

    @Test func itMayThrow() throws {
        let fixture = try StoreFixture()
        try fixture["n"].set(["name": "a"], forKey: "k", as: .json)
        let strict = Item.codec.recovering { failure in throw failure.error }
        #expect(code { () throws(StorageError) in try fixture["n"].value(forKey: "k", using: strict) } == .codecFailure)
        let refusing = Item.codec.recovering { _ in throw Item.Refusal() }
        do throws(StorageError) {
            _ = try fixture["n"].value(forKey: "k", using: refusing)
            Issue.record("the recovery refuses this")
        } catch {
            #expect(error.code == .codecFailure && error.cause is Item.Refusal)
        }
    }

    @Test func itIsNotAskedForDamagedHeaders() throws {
        let fixture = try StoreFixture()
        try fixture.plant([19, 0, 1], forKey: "k", in: "n")
        let lenient = Item.codec.recovering { _ in Self.substitute }
        #expect(code { () throws(StorageError) in try fixture["n"].value(forKey: "k", using: lenient) } == .corruption)
    }
}
