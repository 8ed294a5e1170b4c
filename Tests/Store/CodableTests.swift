import Shale
import TestSupport
import Testing

@Suite struct CodableTests {
    struct Order: Codable, Equatable, Sendable {
        enum State: String, Codable { case open, closed }
        var id: Int
        var state: State
        var lines: [String: Double]
        var note: String?
    }

    static let order = Order(id: 7, state: .open, lines: ["a/b": 0.5, "c": 1e300], note: nil)

    @Test func aCodableValueIsReadableJSON() throws {
        let fixture = try StoreFixture()
        try fixture["n"].set(Self.order, forKey: "k")
        try fixture.reopen()
        #expect(try fixture["n"].value(forKey: "k", as: Order.self) == Self.order)
        let id = try #require(fixture.store.engine.namespaces.first).id
        let raw = try #require(try unsafe fixture.store.engine.value(forKey: Array("k".utf8).span.bytes, in: id))
        let text = String(decoding: raw.dropFirst(2), as: UTF8.self)
        #expect(text == #"{"id":7,"lines":{"a/b":0.5,"c":1e+300},"state":"open"}"#)
    }

    @Test func enumsArraysAndOptionalsRoundTrip() throws {
        let fixture = try StoreFixture()
        try fixture["n"].set(Order.State.closed, forKey: "e")
        try fixture["n"].set([1, 2, 3], forKey: "a")
        try fixture["n"].set([nil, "x"] as [String?], forKey: "o")
        #expect(try fixture["n"].value(forKey: "e", as: Order.State.self) == .closed)
        #expect(try fixture["n"].value(forKey: "a", as: [Int].self) == [1, 2, 3])
        #expect(try fixture["n"].value(forKey: "o", as: [String?].self) == [nil, "x"])
    }

    @Test func aValueThatDoesNotDecodeIsAnError() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set(Self.order, forKey: "k")
        #expect(
            code { () throws(StorageError) in try namespace.value(forKey: "k", as: [String].self) } == .typeMismatch)
        #expect(code { () throws(StorageError) in try namespace.int(forKey: "k", default: 0) } == .typeMismatch)
        #expect(
            code { () throws(StorageError) in try namespace.value(forKey: "k", as: [String: Int].self) }
                == .codecFailure)
        try namespace.set(5, forKey: "k")
        #expect(code { () throws(StorageError) in try namespace.value(forKey: "k", as: Order.self) } == .typeMismatch)
        try fixture.plant([16, 0] + Array("{\"id\":".utf8), forKey: "k", in: "n")
        #expect(code { () throws(StorageError) in try namespace.value(forKey: "k", as: Order.self) } == .codecFailure)
    }

    @Test func aValueThatCannotBeEncodedChangesNothing() throws {
        let fixture = try StoreFixture()
        try fixture["n"].set([1.0], forKey: "k")
        #expect(code { () throws(StorageError) in try fixture["n"].set([Double.nan], forKey: "k") } == .codecFailure)
        #expect(try fixture["n"].value(forKey: "k", as: [Double].self) == [1])
    }

    @Test func deepJSONIsAnErrorNotACrash() throws {
        let fixture = try StoreFixture()
        let deep = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
        try fixture.plant([16, 0] + deep, forKey: "k", in: "n")
        #expect(code { () throws(StorageError) in try fixture["n"].object(forKey: "k") } == .codecFailure)
    }

    @Test func theStoresFormatIsTheDefault() throws {
        let fixture = try StoreFixture()
        try fixture.store.close()
        var options = fixture.options
        options.codableFormat = .propertyList
        let store = try Store(at: fixture.path, options: options)
        try store.common["n"].set(Self.order, forKey: "k")
        #expect(try store.common["n"].info(forKey: "k")?.codec == .propertyList)
        #expect(try store.common["n"].value(forKey: "k", as: Order.self) == Self.order)
        try store.close()
    }
}
