import Foundation
import ShalePlatform
import TestSupport
import Testing

@testable import Shale

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

/// The check that bounds a JSON document before decoding refuses no document that the decoder
/// accepts.
@Suite struct JSONCheckTests {
    private func accepts(_ document: [UInt8]) -> Bool {
        code { () throws(StorageError) in try unsafe JSONCheck.check(document.span.bytes) } == nil
    }

    @Test(arguments: [
        "1", " -0.5e+10 ", "\"\"", "\"\\u00e4\\\\\"", "[]", "{}", "[[],{},[1,2]]",
        "{\"a\":{\"b\":[null,true,false]}}\n", "[1 , 2]", "[1,]",
    ])
    func documentsAreAccepted(text: String) { #expect(accepts(Array(text.utf8))) }

    @Test(arguments: [
        "", " ", "[", "[,]", "{\"a\"}", "{1:2}", "[1 2]",
        "tru", "01", "1.", "\"\\x\"", "\"a", "[]]", "nulll", "\"\u{1}\"",
    ])
    func malformedTextIsRefused(text: String) { #expect(!accepts(Array(text.utf8))) }

    @Test func depthIsBounded() {
        func nested(_ depth: Int) -> [UInt8] {
            [UInt8](repeating: 0x5b, count: depth) + [UInt8](repeating: 0x5d, count: depth)
        }
        #expect(accepts(nested(JSONCheck.depthMax)))
        #expect(!accepts(nested(JSONCheck.depthMax + 1)))
    }

    @Test func nothingIsRefusedThatTheDecoderTakes() throws {
        let random = SeededRandom(seed: Ring.seed &+ 31)
        let base = Array(#"{"a":[1,-2.5e3,"t\u00e4\n",null,true],"b":{"c":{},"d":[[],""]}, "é":0}"#.utf8)
        var decoded = 0
        for _ in 0..<Ring.choose(commit: 3000, nightly: 30_000, release: 300_000) {
            var document = base
            for _ in 0..<Int(1 + random.next() % 3) {
                let place = Int(random.next() % UInt64(document.count))
                switch random.next() % 3 {
                case 0: document[place] = UInt8(truncatingIfNeeded: 1 + random.next() % 255)
                case 1: document.remove(at: place)
                default: document.insert(base[Int(random.next() % UInt64(base.count))], at: place)
                }
            }
            guard (try? JSONDecoder().decode(StructuredValue.self, from: Data(document))) != nil else { continue }
            decoded += 1
            #expect(accepts(document), "\(String(decoding: document, as: UTF8.self)) \(Ring.reproduction)")
        }
        #expect(decoded > 100)
    }
}
