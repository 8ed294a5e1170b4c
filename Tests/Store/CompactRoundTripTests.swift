import Foundation
import ShalePlatform
import TestSupport
import Testing

@testable import Shale

/// Every `Codable` value reads back from a compact document as it was.
@Suite struct CompactRoundTripTests {
    private static func keeps<T: Codable & Equatable>(_ value: T) throws -> Bool { try Compact.copy(value) == value }

    @Test func integersOfEverySizeKeepTheirValues() throws {
        #expect(try Self.keeps([Int8.min, -1, 0, .max]))
        #expect(try Self.keeps([UInt8.max]) && Self.keeps([Int16.min, .max]) && Self.keeps([UInt16.max]))
        #expect(try Self.keeps([Int32.min, .max]) && Self.keeps([UInt32.max]) && Self.keeps([UInt.max]))
        let steps = (0..<64).flatMap { [Int64(truncatingIfNeeded: 1 &<< UInt64($0)), ~(1 &<< Int64($0))] }
        #expect(try Self.keeps(steps + [Int64.min, .max]))
        #expect(try Self.keeps([UInt64.max, 1 << 63]))
        #expect(try Self.keeps([Int128.min, -1, 0, 1 << 64, .max, Int128(Int64.min) - 1]))
        #expect(try Self.keeps([UInt128.max, 0, 1 << 64, UInt128(Int128.max) + 1]))
        #expect(try Self.keeps(5) && Self.keeps(UInt128.max))
    }

    @Test func realNumbersKeepTheirBits() throws {
        let doubles = [0, -0.0, 1.5, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .infinity, -.infinity, .nan]
        #expect(try Compact.copy(doubles).map(\.bitPattern) == doubles.map(\.bitPattern))
        let floats: [Float] = [0, -0.0, 0.1, .infinity, .nan, .leastNonzeroMagnitude]
        #expect(try Compact.copy(floats).map(\.bitPattern) == floats.map(\.bitPattern))
        #expect(try Self.keeps(Decimal(string: "-12345678901234567890.000000001")))
    }

    @Test func textDataAndOtherTypesOfFoundationKeepTheirValues() throws {
        let texts = ["", "a", "é", "\0", String(repeating: "x", count: 63), String(repeating: "é", count: 40)]
        #expect(try Compact.copy(texts).map { Array($0.utf8) } == texts.map { Array($0.utf8) })
        #expect(try Self.keeps([Data(), Data([0, 255]), Data(repeating: 7, count: 300)]))
        #expect(try Self.keeps([[], [0, 255]] as [[UInt8]]))
        #expect(try Self.keeps([Date(timeIntervalSinceReferenceDate: 0.1), .distantPast, .distantFuture]))
        #expect(try Self.keeps([UUID(), UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))]))
        #expect(try Self.keeps([URL(string: "https://example.org/é?a=b")]))
        #expect(try Self.keeps(["a": 1, "": 2, String(repeating: "k", count: 400): 3]))
        #expect(try Self.keeps([7: "x", -1: "y"]))
        #expect(try Self.keeps(Set([1, 2, 3])))
    }

    @Test func nilIsDistinctFromAMissingFieldAndFromEmpty() throws {
        struct Both: Codable, Equatable {
            var explicit: Int?
            var absent: String?

            init(explicit: Int?, absent: String?) { (self.explicit, self.absent) = (explicit, absent) }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(explicit, forKey: .explicit)
                try container.encodeIfPresent(absent, forKey: .absent)
            }
        }
        #expect(try Self.keeps(Both(explicit: nil, absent: nil)) && Self.keeps(Both(explicit: 1, absent: "")))
        let tree = try Compact.tree(try Compact.bytes(Both(explicit: nil, absent: nil)))
        #expect(tree == ["explicit": .null])
        #expect(try Self.keeps([nil, 1, nil] as [Int?]) && Self.keeps([[nil], nil] as [[String?]?]))
    }

    @Test func enumsWithAssociatedValuesKeepTheirCases() throws {
        indirect enum Shape: Codable, Equatable {
            case point
            case circle(radius: Double)
            case group([Shape], name: String?)
            case wrapped(Shape)
        }
        let shape = Shape.group([.point, .circle(radius: 2), .wrapped(.group([], name: nil))], name: "a")
        #expect(try Self.keeps(shape) && Self.keeps([shape, .point]))
    }

    @Test func classesKeepTheirSuperclasses() throws {
        class Animal: Codable {
            var legs = 4
        }
        final class Dog: Animal {
            var name = ""
            private enum CodingKeys: String, CodingKey { case name }

            init(_ name: String) {
                self.name = name
                super.init()
            }

            required init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                name = try container.decode(String.self, forKey: .name)
                try super.init(from: try container.superDecoder())
            }

            override func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                // Before the name, but its content is written later.
                let outer = container.superEncoder()
                try container.encode(name, forKey: .name)
                try super.encode(to: outer)
            }
        }
        let dog = Dog("Rex")
        dog.legs = 3
        let bytes = try Compact.bytes(dog)
        #expect(try Compact.tree(bytes) == ["super": ["legs": 3], "name": "Rex"])
        let copy: Dog = try Compact.value(bytes)
        #expect(copy.name == "Rex" && copy.legs == 3)
    }

    @Test func randomTreesKeepTheirValues() throws {
        let random = SeededRandom(seed: Ring.seed &+ 61)
        for _ in 0..<Ring.choose(commit: 300, nightly: 20_000, release: 100_000) {
            let tree = RandomTree.make(random, depth: 4)
            let bytes = try Compact.bytes(tree)
            #expect(try Compact.tree(bytes) == tree, "seed \(random.seed)")
            #expect(try Compact.copy(tree) == tree, "seed \(random.seed)")
        }
    }
}

/// Random contents of documents.
enum RandomTree {
    static func make(_ random: SeededRandom, depth: Int) -> StructuredValue {
        switch random.below(depth > 0 ? 11 : 9) {
        case 0: .null
        case 1: .bool(random.chance(0.5))
        case 2: .int(Int64(bitPattern: random.next()) >> Int64(random.below(64)))
        case 3: .unsigned(random.next() | 1 << 63)
        case 4: .double(random.fraction() * 1e6 + 0.5)
        case 5, 6: .string(text(random))
        case 7: .date(Date(timeIntervalSinceReferenceDate: random.fraction() * 1e9))
        case 8: .data(Data(random.bytes(random.below(80))))
        case 9: .array((0..<random.below(5)).map { _ in make(random, depth: depth - 1) })
        default:
            .dictionary(
                Dictionary((0..<random.below(40)).map { _ in (text(random), make(random, depth: depth - 2)) }) { $1 })
        }
    }

    private static func text(_ random: SeededRandom) -> String {
        let characters: [Character] = ["a", "b", "é", "\0", "😀"]
        let count = random.below(random.chance(0.1) ? 100 : 8)
        return String((0..<count).map { _ in characters[random.below(characters.count)] })
    }
}
