import Shale
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct PropertyListTests {
    struct Record: Codable, Equatable {
        var name: String
        var when: Date
        var blob: Data
        var numbers: [Double]
        var inner: [String: Int]
        var nothing: String?
    }

    static let record = Record(
        name: "a", when: Date(timeIntervalSinceReferenceDate: 1.5), blob: Data([0, 1, 255]), numbers: [0.5, -1],
        inner: ["x": 1, "y": .min], nothing: nil)

    @Test func aTreeComesBackAsItWas() throws {
        let fixture = try StoreFixture()
        try fixture["n"].set(Self.record, forKey: "k", as: .propertyList)
        try fixture.reopen()
        #expect(try fixture["n"].value(forKey: "k", as: Record.self) == Self.record)
        #expect(try fixture["n"].info(forKey: "k")?.codec == .propertyList)
    }

    @Test func scalarsAtTheTopComeBackAsTheyWere() throws {
        let fixture = try StoreFixture()
        try fixture["n"].set(7, forKey: "i", as: .propertyList)
        try fixture["n"].set("text", forKey: "s", as: .propertyList)
        try fixture["n"].set([UInt64.max], forKey: "u", as: .propertyList)
        #expect(try fixture["n"].int(forKey: "i") == 7)
        #expect(try fixture["n"].value(forKey: "s", as: String.self) == "text")
        #expect(try fixture["n"].value(forKey: "u", as: [UInt64].self) == [.max])
        #expect(code { () throws(StorageError) in try fixture["n"].int(forKey: "s") } == .typeMismatch)
    }

    @Test func theTreeCanBeReadWithoutItsType() throws {
        let fixture = try StoreFixture()
        try fixture["n"].set(Self.record, forKey: "k", as: .propertyList)
        let expected: StructuredValue = .dictionary([
            "name": .string("a"), "when": .date(Self.record.when), "blob": .data(Self.record.blob),
            "numbers": .array([.double(0.5), .double(-1)]), "inner": .dictionary(["x": .int(1), "y": .int(.min)]),
        ])
        #expect(try fixture["n"].object(forKey: "k") == .propertyList(expected))
    }
}

@Suite struct PropertyListObjectTests {
    private static let tree: StructuredValue = [
        "integers": [0, 255, 256, 65_536, 4_294_967_296, -1, .int(.min), .int(.max), .unsigned(.max)],
        "reals": [0.0, .double(-0.0), 1.5, .double(.infinity), 3.0],
        "texts": ["", "plain", "t€xt 🙂", .string(String(repeating: "long", count: 100))],
        "flags": [true, false],
        "date": .date(Date(timeIntervalSinceReferenceDate: -1.25)),
        "data": [.data(Data()), .data(Data(repeating: 7, count: 300))],
        "nested": ["a": ["b": ["c": [:], "d": []]]],
    ]

    @Test func aTreeComesBackAsItWas() throws {
        let fixture = try StoreFixture()
        try fixture["n"].setObject(Self.tree, forKey: "k")
        try fixture.store.write { (batch) throws(StorageError) in
            try batch.setObject("scalar", forKey: "s", in: fixture["n"])
        }
        try fixture.reopen()
        #expect(try fixture["n"].object(forKey: "k") == .propertyList(Self.tree))
        #expect(try fixture["n"].object(forKey: "s") == .propertyList("scalar"))
    }

    @Test func manyObjectsNeedWiderReferences() throws {
        let fixture = try StoreFixture()
        let tree = StructuredValue.array((0..<70_000).map { .string("text \($0)") })
        try fixture["n"].setObject(tree, forKey: "k")
        #expect(try fixture["n"].object(forKey: "k") == .propertyList(tree))
    }

    @Test func foundationReadsTheSame() throws {
        struct Copy: Decodable, Equatable {
            var texts: [String]
            var flags: [Bool]
            var date: Date
            var data: [Data]
        }
        let fixture = try StoreFixture()
        try fixture["n"].setObject(Self.tree, forKey: "k")
        let copy = try #require(try fixture["n"].value(forKey: "k", as: Copy.self))
        #expect(copy.texts[2] == "t€xt 🙂" && copy.flags == [true, false] && copy.data[1].count == 300)
        #expect(copy.date == Date(timeIntervalSinceReferenceDate: -1.25))
    }

    @Test func contentThatPropertyListsLackIsAnError() throws {
        let fixture = try StoreFixture()
        func setting(_ tree: StructuredValue) -> StorageError.Code? {
            code { () throws(StorageError) in try fixture["n"].setObject(tree, forKey: "k") }
        }
        func nested(_ depth: Int) -> StructuredValue { (1..<depth).reduce([]) { inner, _ in [inner] } }
        #expect(setting(["a": .null]) == .codecFailure)
        #expect(setting(nested(256)) == .codecFailure)
        #expect(try fixture["n"].contains("k") == false)
        #expect(setting(nested(255)) == nil)
        #expect(try fixture["n"].object(forKey: "k") == .propertyList(nested(255)))
    }

    @Test func settingNilRemoves() throws {
        let fixture = try StoreFixture()
        try fixture["n"].setObject(1, forKey: "k")
        try fixture["n"].setObject(nil, forKey: "k")
        #expect(try fixture["n"].contains("k") == false)
    }
}
