import Shale
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct CustomCodecTests {
    struct Point: Equatable {
        var x: UInt8
        var y: UInt8
    }

    struct Refused: Error {}

    struct PointCodec: CustomCodec {
        var id: UInt8 = 130
        let name = "point"

        func encode(_ point: Point) throws -> Data {
            guard point.x != 0 else { throw Refused() }
            return Data([point.x, point.y])
        }

        func decode(_ payload: Data) throws -> Point {
            guard payload.count == 2 else { throw Refused() }
            return Point(x: payload[0], y: payload[1])
        }

        func tree(_ payload: Data) throws -> StructuredValue {
            let point = try decode(payload)
            return ["x": .int(Int64(point.x)), "y": .int(Int64(point.y))]
        }
    }

    struct BytesCodec: CustomCodec {
        let id: UInt8 = 255
        let name = "bytes"
        func encode(_ bytes: [UInt8]) throws -> Data { Data(bytes) }
        func decode(_ payload: Data) throws -> [UInt8] { [UInt8](payload) }
    }

    private static func fixture() throws -> StoreFixture {
        try StoreFixture(codecs: [PointCodec(), BytesCodec()])
    }

    @Test func valuesComeBackByTheirCodec() throws {
        let fixture = try Self.fixture()
        try fixture["n"].set(Point(x: 1, y: 2), forKey: "p", using: PointCodec())
        try fixture.store.write { (batch) throws(StorageError) in
            try batch.set([7, 8], forKey: "b", in: fixture["n"], using: BytesCodec())
        }
        try fixture.reopen()
        #expect(try fixture["n"].value(forKey: "p", using: PointCodec()) == Point(x: 1, y: 2))
        #expect(try fixture["n"].value(forKey: "b", using: BytesCodec()) == [7, 8])
        #expect(try fixture["n"].value(forKey: "nothing", using: PointCodec()) == nil)
        #expect(try fixture["n"].info(forKey: "p")?.codec.rawValue == 130)
    }

    @Test func theOneGetterShowsATree() throws {
        let fixture = try Self.fixture()
        try fixture["n"].set(Point(x: 1, y: 2), forKey: "p", using: PointCodec())
        try fixture["n"].set([7, 8], forKey: "q", using: BytesCodec())
        let point = StoredValue.custom(ValueCodec(rawValue: 130), ["x": 1, "y": 2])
        let bytes = StoredValue.custom(ValueCodec(rawValue: 255), .data(Data([7, 8])))
        #expect(try fixture["n"].object(forKey: "p") == point && point.codec.rawValue == 130)
        #expect(try fixture["n"].object(forKey: "q") == bytes)
        #expect(try fixture["n"].entries.array().map { try $0.object() } == [point, bytes])
        let inside = try fixture.store.transaction { (transaction) throws(StorageError) in
            try transaction.object(forKey: "p", in: fixture["n"])
        }
        #expect(inside == point)
    }

    @Test func anIdThatNobodyRegisteredIsNamed() throws {
        let fixture = try StoreFixture()
        try fixture.plant([200, 0, 1], forKey: "k", in: "n")
        do throws(StorageError) {
            _ = try fixture["n"].object(forKey: "k")
            Issue.record("an unknown codec was decoded")
        } catch {
            #expect(error.code == .newerFormat && error.message.contains("200"))
        }
        #expect(
            code { () throws(StorageError) in try fixture["n"].set(Point(x: 1, y: 2), forKey: "p", using: PointCodec())
            }
                == .invalidArgument)
    }

    @Test func anErrorOfACodecIsTheCause() throws {
        let fixture = try Self.fixture()
        do throws(StorageError) {
            try fixture["n"].set(Point(x: 0, y: 2), forKey: "p", using: PointCodec())
            Issue.record("the codec refuses this")
        } catch {
            #expect(error.code == .codecFailure && error.cause is Refused)
        }
        try fixture.plant([130, 0, 1, 2, 3], forKey: "p", in: "n")
        let reading = code { () throws(StorageError) in try fixture["n"].value(forKey: "p", using: PointCodec()) }
        #expect(reading == .codecFailure)
        #expect(code { () throws(StorageError) in try fixture["n"].object(forKey: "p") } == .codecFailure)
    }

    @Test func otherCodecsAreATypeMismatch() throws {
        let fixture = try Self.fixture()
        try fixture["n"].set("text", forKey: "s")
        try fixture["n"].set([1], forKey: "b", using: BytesCodec())
        for key in ["s", "b"] {
            let reading = code { () throws(StorageError) in try fixture["n"].value(forKey: key, using: PointCodec()) }
            #expect(reading == .typeMismatch)
        }
    }

    @Test func idsAreCheckedAtOpen() throws {
        let path = FileManager.default.temporaryDirectory.path + "/shale-codecs-\(UUID().uuidString)"
        for codecs in [[PointCodec(id: 127)], [PointCodec(), PointCodec()]] {
            let opening = code { () throws(StorageError) in
                try Store(at: path, options: Store.Options(codecs: codecs))
            }
            #expect(opening == .invalidArgument)
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func oneOpenStoreHasOneListOfCodecs() throws {
        let fixture = try Self.fixture()
        var options = fixture.options
        options.codecs = [PointCodec()]
        let opening = code { () throws(StorageError) in try Store(at: fixture.path, options: options) }
        #expect(opening == .invalidArgument)
        try Store(at: fixture.path, options: fixture.options).close()
    }
}
