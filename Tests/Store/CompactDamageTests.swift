import Foundation
import ShalePlatform
import TestSupport
import Testing

@testable import Shale

/// Compact documents that no writer makes, and values that none can be made of.
@Suite struct CompactDamageTests {
    private struct Record: Codable, Equatable {
        var name: String
        var counts: [Int]
        var children: [Record]
        var when: Date
        var note: String?
        var sizes: [String: Double]
    }

    private static let record = Record(
        name: "näme", counts: [1, -2, 3_000_000_000],
        children: [
            Record(name: "", counts: [], children: [], when: Date(timeIntervalSinceReferenceDate: 1), sizes: [:])
        ], when: Date(timeIntervalSinceReferenceDate: 7), note: "n", sizes: ["a": 1])

    private static func readers(_ bytes: [UInt8]) -> [StorageError.Code?] {
        [
            code { () throws(StorageError) in try Compact.value(bytes, as: Record.self) },
            code { () throws(StorageError) in try Compact.value(bytes, as: [Record].self) },
            code { () throws(StorageError) in try Compact.value(bytes, as: StructuredValue.self) },
            code { () throws(StorageError) in try Compact.tree(bytes) },
            code { () throws(StorageError) in
                try Compact.with(bytes) { (root) throws(StorageError) in
                    _ = try root.field("note")?.decoded(as: String.self)
                    try root.forEachField { (_, value) throws(StorageError) in
                        _ = try value.decoded(as: StructuredValue.self)
                    }
                }
            },
        ]
    }

    @Test func damagedDocumentsGiveTypedErrors() throws {
        let random = SeededRandom(seed: Ring.seed &+ 62)
        let whole = try Compact.bytes(Self.record)
        let expected: Set<StorageError.Code?> = [nil, .corruption, .codecFailure, .typeMismatch]
        for _ in 0..<Ring.choose(commit: 4000, nightly: 400_000, release: 2_000_000) {
            var bytes = whole
            for _ in 0...random.below(3) {
                switch random.below(3) {
                case 0: bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.removeLast(random.below(bytes.count))
                default: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: random.below(bytes.count))
                }
                if bytes.isEmpty { bytes = [0] }
            }
            for code in Self.readers(bytes) { #expect(expected.contains(code), "seed \(random.seed): \(bytes)") }
        }
    }

    @Test func everyTruncationIsFound() throws {
        let whole = try Compact.bytes(Self.record)
        for count in 0..<whole.count {
            let bytes = Array(whole[..<count])
            #expect(Self.readers(bytes).allSatisfy { $0 == .corruption }, "\(count)")
        }
        #expect(Self.readers(whole + [0]).allSatisfy { $0 == .corruption })
    }

    @Test func unknownKindsBadTextsAndBadDatesAreRefused() throws {
        let values: [[UInt8]] = [
            [], [0x0E], [0x0F], [0x20], [0x3F], [0xC0], [0xFF], [0x81, 0xFF], [0x09, 1, 0, 0, 0, 0xFF], [0x03, 0],
            [0x09, 0xFF, 0xFF, 0xFF, 0xFF], [0x0C, 1, 0, 0, 0], [0x0D, 1, 0, 0, 0, 0x81],
            [0x0D, 2, 0, 0, 0, 0x40, 0x40],
            [0x0D, 1, 0, 0, 0, 0x80], [0x0B, 1, 0, 0, 0, 0xFF], [0x05, 0, 0, 0, 0, 0, 0, 0xF8, 0x7F],
            [0x0D, 6, 0, 0, 0, 0x81, 0x61, 0x40, 0x81, 0x61, 0x40],
        ]
        for bytes in values {
            #expect(code { () throws(StorageError) in try Compact.tree(bytes) } == .corruption, "\(bytes)")
        }
        let fixture = try StoreFixture()
        let refused = code { () throws(StorageError) in
            try fixture["n"].setPayload([0x81, 0xFF], codec: .compact, forKey: "k")
        }
        #expect(refused == .codecFailure)
    }

    @Test func nestingIsBoundedForWritersAndReaders() throws {
        struct Nested: Codable { var next: [Nested] }
        var nested = Nested(next: [])
        for _ in 0..<126 { nested = Nested(next: [nested]) }
        #expect(throws: Never.self) { try Compact.copy(nested) }
        nested = Nested(next: [nested])
        #expect(code { () throws(StorageError) in try Compact.bytes(nested) } == .codecFailure)
        var bytes: [UInt8] = []
        for _ in 0..<256 { bytes = [0x0C] + Compact.length(bytes.count) + bytes }
        #expect(Self.readers(bytes)[2...3] == [.corruption, .corruption])
        #expect(code { () throws(StorageError) in try Compact.tree(Array(bytes[5...])) } == nil)
    }

    @Test func theNumberOfValuesIsBounded() throws {
        let count = CompactLimits.valuesMax
        let bytes = [0x0C] + Compact.length(count) + [UInt8](repeating: 0, count: count)
        #expect(Self.readers(bytes)[1...3] == [.corruption, .corruption, .corruption])
        #expect(code { () throws(StorageError) in try Compact.value(bytes, as: [Bool?].self) } == .corruption)
        let values = [Bool?](repeating: nil, count: count)
        #expect(code { () throws(StorageError) in try Compact.bytes(values) } == .codecFailure)
        #expect(try Compact.copy(Array(values.dropLast())).count == count - 1)
    }

    @Test func aNameThatIsEncodedTwiceIsRefused() {
        struct Twice: Encodable {
            let count: Int

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: MemberName.self)
                for number in 0..<count { try container.encode(number, forKey: MemberName("field \(number)")) }
                try container.encode(0, forKey: MemberName("field 3"))
            }
        }
        for count in [4, 10, 24, 25, 100] {
            #expect(code { () throws(StorageError) in try Compact.bytes(Twice(count: count)) } == .codecFailure)
        }
        #expect(throws: Never.self) { try Compact.bytes(Twice(count: 3)) }
    }

    @Test func aDateThatIsNoNumberIsRefused() {
        let dates = [Date(timeIntervalSinceReferenceDate: .nan)]
        #expect(code { () throws(StorageError) in try Compact.bytes(dates) } == .invalidArgument)
    }

    @Test func aFieldWhoseValueThrowsIsLeftOut() throws {
        struct Refusing: Encodable {
            struct Refusal: Error {}

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: MemberName.self)
                try container.encode("written", forKey: MemberName("inside"))
                throw Refusal()
            }
        }
        struct Lenient: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: MemberName.self)
                try container.encode(1, forKey: MemberName("a"))
                do { try container.encode(Refusing(), forKey: MemberName("b")) } catch is Refusing.Refusal {}
                try container.encode(2, forKey: MemberName("b"))
            }
        }
        #expect(try Compact.tree(try Compact.bytes(Lenient())) == ["a": 1, "b": 2])
        #expect(code { () throws(StorageError) in try Compact.bytes(Refusing()) } == .codecFailure)
    }

    @Test func misuseOfContainersIsAnErrorAndNoWrongDocument() {
        struct Mixed: Encodable {
            func encode(to encoder: any Encoder) throws {
                var object = encoder.container(keyedBy: MemberName.self)
                try object.encode(1, forKey: MemberName("a"))
                var array = encoder.unkeyedContainer()
                try array.encode(2)
            }
        }
        struct Double: Encodable {
            func encode(to encoder: any Encoder) throws {
                var single = encoder.singleValueContainer()
                try single.encode(1)
                try single.encode(2)
            }
        }
        #expect(code { () throws(StorageError) in try Compact.bytes(Mixed()) } == .codecFailure)
        #expect(code { () throws(StorageError) in try Compact.bytes(Double()) } == .codecFailure)
    }

    @Test func nestedContainersMayBeWrittenInAnyOrder() throws {
        struct Interleaved: Encodable {
            func encode(to encoder: any Encoder) throws {
                var root = encoder.container(keyedBy: MemberName.self)
                var first = root.nestedContainer(keyedBy: MemberName.self, forKey: MemberName("first"))
                var second = root.nestedUnkeyedContainer(forKey: MemberName("second"))
                try root.encode("r", forKey: MemberName("root"))
                try second.encode([1])
                try first.encode(1, forKey: MemberName("x"))
                var third = second.nestedContainer(keyedBy: MemberName.self)
                try second.encodeNil()
                try third.encode(["k": true], forKey: MemberName("y"))
                try first.encode(2, forKey: MemberName("z"))
            }
        }
        let tree = try Compact.tree(try Compact.bytes([Interleaved(), Interleaved()]))
        let one: StructuredValue = [
            "first": ["x": 1, "z": 2], "second": [[1], ["y": ["k": true]], .null], "root": "r",
        ]
        #expect(tree == [one, one])
    }
}
