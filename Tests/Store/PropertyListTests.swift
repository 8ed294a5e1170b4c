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
