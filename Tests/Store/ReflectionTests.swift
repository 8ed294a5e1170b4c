import TestSupport
import Testing

@testable import Shale

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// No type in this suite is `Codable`, unless its declaration says so.
@Suite struct ReflectionTests {
    enum Level: Int { case low = 1, high = 9 }
    enum Shape {
        case point
        case circle(Double)
        case box(width: Int, height: Int)
    }
    struct Flags: OptionSet { let rawValue: UInt8 }
    struct Line {
        var name: String
        var price: Double?
        var level: Level
    }
    class Base {
        let id: Int64
        var note: String?
        init(_ id: Int64) { self.id = id }
    }
    final class Order: Base {
        var lines: [Line] = []
        var byName: [String: Line] = [:]
        var tags: Set<String> = []
        var shapes: [Shape] = []
        var flags = Flags(rawValue: 5)
        var placed = Date(timeIntervalSinceReferenceDate: 2.5)
        var blob = Data([1, 2])
        lazy var total = 12
        weak var parent: Base?
    }
    /// The type that reads such an order back.
    struct OrderCopy: Codable, Equatable {
        struct Line: Codable, Equatable {
            var name: String
            var price: Double?
            var level: Int
        }
        var id: Int
        var note: String?
        var lines: [Line]
        var byName: [String: Line]
        var tags: [String]
        var flags: Int
        var placed: Date
        var blob: Data
        var total: Int?
    }

    private static func order() -> Order {
        let order = Order(.max)
        order.lines = [Line(name: "a", price: nil, level: .low), Line(name: "b", price: 0.5, level: .high)]
        order.byName = ["x": order.lines[1]]
        order.tags = ["t3", "t1", "t2"]
        order.shapes = [.point, .circle(1.5), .box(width: 2, height: 3)]
        return order
    }

    private static func failure(_ value: Any) throws -> ReflectionError? {
        let fixture = try StoreFixture()
        do throws(StorageError) {
            try fixture["n"].set(reflecting: value, forKey: "k")
            return nil
        } catch {
            #expect(error.code == .codecFailure)
            #expect(try fixture["n"].contains("k") == false)
            return error.cause as? ReflectionError
        }
    }

    private static func object(_ value: Any) throws -> StoredValue? {
        let fixture = try StoreFixture()
        try fixture["n"].set(reflecting: value, forKey: "k")
        return try fixture["n"].object(forKey: "k")
    }

    @Test func aClassWithItsSuperclassReadsBackAsADecodableType() throws {
        let fixture = try StoreFixture()
        let order = Self.order()
        _ = order.total
        try fixture["n"].set(reflecting: order, forKey: "k")
        try fixture.reopen()
        let copy = try #require(try fixture["n"].value(forKey: "k", as: OrderCopy.self))
        let lines = [OrderCopy.Line(name: "a", level: 1), OrderCopy.Line(name: "b", price: 0.5, level: 9)]
        let expected = OrderCopy(
            id: .max, lines: lines, byName: ["x": lines[1]], tags: ["t1", "t2", "t3"], flags: 5, placed: order.placed,
            blob: order.blob, total: 12)
        #expect(copy == expected)
        #expect(try fixture["n"].info(forKey: "k")?.codec == .json)
    }

    @Test func enumsAreRawValuesNamesOrPayloads() throws {
        let shapes: StructuredValue = .array([
            .string("point"), .dictionary(["circle": .dictionary(["_0": .double(1.5)])]),
            .dictionary(["box": .dictionary(["width": .int(2), "height": .int(3)])]),
        ])
        #expect(try Self.object([Shape.point, .circle(1.5), .box(width: 2, height: 3)]) == .json(shapes))
        #expect(try Self.object(Level.high) == .json(.int(9)))
        #expect(try Self.object(["k": Level.low, "l": .high]) == .json(.dictionary(["k": .int(1), "l": .int(9)])))
    }

    @Test func nilIsLeftOutOfObjectsAndKeptInArrays() throws {
        let lines: [Line?] = [nil, Line(name: "a", price: nil, level: .low)]
        #expect(
            try Self.object(lines)
                == .json(.array([.null, .dictionary(["name": .string("a"), "level": .int(1)])])))
    }

    @Test func treesOfAnythingAreTheirContent() throws {
        let tree: [AnyHashable: Any] = [1: [true, "s", Level.low] as [Any], "t": (x: 1, y: 2.5), "u": (1, "a")]
        #expect(
            try Self.object(tree)
                == .json(
                    .dictionary([
                        "1": .array([.bool(true), .string("s"), .int(1)]),
                        "t": .dictionary(["x": .int(1), "y": .double(2.5)]), "u": .array([.int(1), .string("a")]),
                    ])))
    }

    @Test func equalSetsAreEqualBytes() throws {
        let fixture = try StoreFixture()
        try fixture["n"].set(reflecting: Set((0..<100).map { "\($0)" }), forKey: "a")
        try fixture["n"].set(reflecting: Set((0..<100).reversed().map { "\($0)" }), forKey: "b")
        let (a, b) = (try fixture["n"].object(forKey: "a"), try fixture["n"].object(forKey: "b"))
        #expect(a == b)
    }

    @Test func aSubclassOfACodableClassIsStoredWhole() throws {
        class Animal: Codable { var name = "n" }
        final class Dog: Animal {
            var breed = "b"
            override init() { super.init() }
            required init(from decoder: any Decoder) throws { try super.init(from: decoder) }
        }
        #expect(
            try Self.object([Dog()] as [Animal])
                == .json(.array([.dictionary(["name": .string("n"), "breed": .string("b")])])))
    }

    @Test func aCycleIsAnErrorThatNamesIt() throws {
        let order = Self.order()
        order.parent = order
        #expect(try Self.failure(order) == .cycle(path: "parent"))
        #expect(try Self.failure(["x": [order]]) == .cycle(path: "[].[].parent"))
    }

    @Test func aSharedObjectIsNoCycle() throws {
        let base = Base(1)
        #expect(try Self.failure([base, base]) == nil)
    }

    @Test func depthHasALimit() throws {
        func nested(_ depth: Int) -> Any { (1..<depth).reduce(Line?.none as Any) { value, _ in [value] as [Any] } }
        #expect(try Self.failure(nested(64)) == nil)
        #expect(
            try Self.failure(nested(65)) == .tooDeep(path: Array(repeating: "[]", count: 64).joined(separator: ".")))
    }

    @Test func contentThatReflectionCannotShowIsAnError() throws {
        struct Handler { var action: @Sendable () -> Void = {} }
        enum Shy: CustomStringConvertible {
            case hidden
            var description: String { "not its name" }
        }
        class Outer { private let name = "a" }
        final class Inner: Outer { private let name = "b" }
        guard case .unsupported(_, "action") = try Self.failure(Handler()) else {
            Issue.record("a function was stored")
            return
        }
        #expect(try Self.failure([Shy.hidden]) == .unsupported(type: "Shy", path: "[]"))
        #expect(try Self.failure(Inner()) == .duplicateName(path: "name"))
        #expect(try Self.failure([[1.5]: 1]) == .unsupported(type: "Array<Double>", path: "."))
    }

    @Test func notANumberIsTheEncodersError() throws {
        let fixture = try StoreFixture()
        let line = Line(name: "a", price: .nan, level: .low)
        #expect(
            code { () throws(StorageError) in try fixture["n"].set(reflecting: line, forKey: "k") } == .codecFailure)
        #expect(try fixture["n"].contains("k") == false)
    }

    @Test func settingNilRemoves() throws {
        let fixture = try StoreFixture()
        try fixture["n"].set(reflecting: Level.high, forKey: "k")
        try fixture["n"].set(reflecting: Level?.none, forKey: "k")
        #expect(try fixture["n"].contains("k") == false)
    }

    @Test func aBatchTakesReflectedValues() throws {
        let fixture = try StoreFixture()
        try fixture.store.write { (batch) throws(StorageError) in
            try batch.set(reflecting: Level.high, forKey: "k", in: fixture["n"])
        }
        #expect(try fixture["n"].int(forKey: "k") == 9)
    }
}

@Suite struct ReflectionSizeTests {
    private final class Pair { var next: [Pair] = [] }

    /// Doubles with each level: n + 1 objects expand to 2 × 2ⁿ objects and as many arrays.
    private static func tower(_ levels: Int) -> Pair {
        (0..<levels).reduce(Pair()) { inner, _ in
            let pair = Pair()
            pair.next = [inner, inner]
            return pair
        }
    }

    @Test func sharedObjectsCountWhereverTheyOccur() throws {
        var enough = Reflector(partsMax: 126)
        _ = try enough.tree(of: Self.tower(5))
        var tooFew = Reflector(partsMax: 125)
        #expect(throws: ReflectionError.tooLarge) { try tooFew.tree(of: Self.tower(5)) }
    }
}
