import Shale
import ShalePlatform
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Keys of several elements: their bytes, their order, and scans by leading elements.
@Suite struct CompositeKeyTests {
    /// The table in the documentation.
    @Test(
        arguments: [
            (CompositeKey(), []), (CompositeKey(nil), [1]),
            (CompositeKey([0, 1, 2, 255] as [UInt8]), [2, 1, 1, 1, 2, 2, 255, 0]),
            (CompositeKey(""), [3, 0]), (CompositeKey("a\0é"), [3, 97, 1, 1, 0xc3, 0xa9, 0]),
            (CompositeKey(CompositeKey("a", nil)), [5, 3, 97, 0, 1, 0]), (CompositeKey(CompositeKey()), [5, 0]),
            (CompositeKey(0), [0x14]), (CompositeKey(1), [0x15, 1]), (CompositeKey(255), [0x15, 255]),
            (CompositeKey(256), [0x16, 1, 0]), (CompositeKey(-1), [0x13, 254]), (CompositeKey(-255), [0x13, 0]),
            (CompositeKey(-256), [0x12, 254, 255]),
            (CompositeKey(Int.max), [0x1c, 127] + Array(repeating: 255, count: 7)),
            (CompositeKey(UInt64.max), [0x1c] + Array(repeating: 255, count: 8)),
            (CompositeKey(Int.min), [0x0c, 127] + Array(repeating: 255, count: 7)),
            (CompositeKey(1.0), [0x21, 0xbf, 0xf0, 0, 0, 0, 0, 0, 0]),
            (CompositeKey(-1.0), [0x21, 0x40, 0x0f] + Array(repeating: 255, count: 6)),
            (CompositeKey(false, true), [0x26, 0x27]),
            (CompositeKey(Date(timeIntervalSinceReferenceDate: 1)), [0x38, 0xbf, 0xf0, 0, 0, 0, 0, 0, 0]),
        ] as [(CompositeKey, [UInt8])])
    func theBytesAreThoseOfTheTable(_ key: CompositeKey, _ bytes: [UInt8]) throws {
        #expect(key.bytes == bytes)
        #expect(try CompositeKey(bytes: bytes) == key)
    }

    @Test func elementsComeBackAsTheirTypes() throws {
        let (id, date) = (UUID(), Date(timeIntervalSinceReferenceDate: 12.5))
        let missing: String? = nil
        let key = CompositeKey(
            "a", 7 as UInt16, -1.5, Float(0.25), true, missing, id, date, Data([1, 0]), CompositeKey(1))
        #expect(try key.element(0, as: String.self) == "a")
        #expect(try key.element(1, as: Int.self) == 7 && key.element(1, as: UInt8.self) == 7)
        #expect(try key.element(2, as: Double.self) == -1.5)
        #expect(try key.element(3, as: Float.self) == 0.25)
        #expect(try key.element(4, as: Bool.self))
        #expect(try key.elements[5] == .null)
        #expect(try key.element(6, as: UUID.self) == id && key.element(7, as: Date.self) == date)
        #expect(try key.element(8, as: [UInt8].self) == [1, 0] && key.element(8, as: Data.self) == Data([1, 0]))
        #expect(try key.element(9, as: CompositeKey.self) == CompositeKey(1))
        #expect(code { () throws(StorageError) in _ = try key.element(0, as: Int.self) } == .typeMismatch)
        #expect(code { () throws(StorageError) in _ = try key.element(2, as: Int.self) } == .typeMismatch)
        #expect(
            code { () throws(StorageError) in _ = try CompositeKey(300).element(0, as: Int8.self) } == .typeMismatch)
        #expect(
            code { () throws(StorageError) in _ = try CompositeKey(0.1).element(0, as: Float.self) } == .typeMismatch)
        #expect(code { () throws(StorageError) in _ = try key.element(10, as: Int.self) } == .invalidArgument)
        #expect(code { () throws(StorageError) in _ = try key.element(-1, as: Int.self) } == .invalidArgument)
        #expect(CompositeKey("a", 1, nil).description == #"("a", 1, nil)"#)
    }

    @Test func aPrefixIsTheLeadingElements() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        let keys = [
            CompositeKey("a", 1), CompositeKey("a", 1, "x"), CompositeKey("a", 1, nil), CompositeKey("a", 10),
            CompositeKey("a", 256), CompositeKey("a", "1"), CompositeKey("a\0", 1), CompositeKey("ab", 1),
            CompositeKey("a"), CompositeKey(CompositeKey("a"), 1), CompositeKey("a", CompositeKey(1, 2)),
        ]
        for key in keys { try namespace.set(true, forKey: key) }
        #expect(
            try namespace.keys(prefix: CompositeKey("a", 1)).map { try CompositeKey($0) }
                == [CompositeKey("a", 1), CompositeKey("a", 1, nil), CompositeKey("a", 1, "x")])
        #expect(try namespace.keys(prefix: CompositeKey("a")).count() == 8)
        #expect(try namespace.keys(prefix: CompositeKey("a", 1)).after(CompositeKey("a", 1, nil)).count() == 1)
        #expect(try namespace.removeAll(prefix: CompositeKey("a", 1)) == 3)
        #expect(try namespace.contains(CompositeKey("a", 10)))
        #expect(try namespace.keys(in: CompositeKey("a", 2)..<CompositeKey("a", 256)).count() == 1)
    }

    @Test func aKeyThatCannotBeUsedIsAnError() throws {
        let fixture = try StoreFixture()
        let noDate = CompositeKey("a", Date(timeIntervalSinceReferenceDate: .nan))
        #expect(code { () throws(StorageError) in try fixture["n"].set(1, forKey: noDate) } == .invalidArgument)
        #expect(code { () throws(StorageError) in _ = try noDate.elements } == .invalidArgument)
        #expect(
            code { () throws(StorageError) in try fixture["n"].set(1, forKey: CompositeKey(noDate)) }
                == .invalidArgument)
        let deepest = (0..<64).reduce(CompositeKey(1)) { (key, _) in CompositeKey(key) }
        #expect(try CompositeKey(bytes: deepest.bytes) == deepest)
        let tooDeep = CompositeKey(deepest)
        #expect(code { () throws(StorageError) in try fixture["n"].set(1, forKey: tooDeep) } == .invalidArgument)
        #expect(code { () throws(StorageError) in _ = try CompositeKey(bytes: tooDeep.bytes) } == .codecFailure)
    }
}

/// Random keys: their order, their round trip, and bytes of any origin.
@Suite struct CompositeKeyPropertyTests {
    private typealias Element = CompositeKey.Element

    private static let texts = ["", "\0", "\u{1}", "\u{2}", "a", "a\0", "a\u{1}", "ab", "b", "é", "日"]
    private static let doubles = [0, -0.0, 1, -1, .infinity, -.infinity, .leastNonzeroMagnitude, 1e300, .pi]

    private func anyElement(_ random: SeededRandom, depth: Int = 0) -> Element {
        switch random.below(depth < 3 ? 11 : 10) {
        case 0: return .null
        case 1: return .bytes(random.bytes(random.below(4)).map { $0 % 4 })
        case 2: return .string(Self.texts[random.below(Self.texts.count)])
        case 3: return .int(Int64(random.below(600)) - 300)
        case 4: return .int(Int64(bitPattern: random.next()) >> Int64(random.below(64)))
        case 5: return .unsigned(random.next() | 1 << 63)
        case 6: return .double(Self.doubles[random.below(Self.doubles.count)])
        case 7: return .double(Double(random.below(2000) - 1000) / 16)
        case 8: return .bool(random.chance(0.5))
        case 9: return .date(Date(timeIntervalSinceReferenceDate: Double(random.below(100)) - 50))
        default: return .key(key(anyElements(random, depth: depth + 1)))
        }
    }

    private func anyElements(_ random: SeededRandom, depth: Int = 0) -> [Element] {
        (0..<random.below(4)).map { _ in anyElement(random, depth: depth) }
    }

    private func key(_ elements: [Element]) -> CompositeKey {
        CompositeKey(elements: elements.map { $0 == .null ? nil : AnyElement(compositeElement: $0) })
    }

    /// Any element as it is.
    private struct AnyElement: CompositeKeyElement {
        let compositeElement: CompositeKey.Element
        init(compositeElement element: CompositeKey.Element) { compositeElement = element }
    }

    /// The documented order, compared without the encoding.
    private func isBefore(_ a: [Element], _ b: [Element]) -> Bool {
        for (left, right) in zip(a, b) {
            if isBefore(left, right) { return true }
            if isBefore(right, left) { return false }
        }
        return a.count < b.count
    }

    private func isBefore(_ a: Element, _ b: Element) -> Bool {
        switch (a, b) {
        case (.bytes(let a), .bytes(let b)): a.lexicographicallyPrecedes(b)
        case (.string(let a), .string(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
        case (.key(let a), .key(let b)): (try? isBefore(a.elements, b.elements)) ?? false
        case (.int(let a), .int(let b)): a < b
        case (.unsigned(let a), .unsigned(let b)): a < b
        case (.int, .unsigned): true
        case (.unsigned, .int): false
        case (.double(let a), .double(let b)):
            a != b && a.isTotallyOrdered(belowOrEqualTo: b) || a == b && a.sign == .minus && b.sign == .plus
        case (.bool(let a), .bool(let b)): !a && b
        case (.date(let a), .date(let b)): a < b
        default: rank(a) < rank(b)
        }
    }

    private func rank(_ element: Element) -> Int {
        switch element {
        case .null: 0
        case .bytes: 1
        case .string: 2
        case .key: 3
        case .int, .unsigned: 4
        case .double: 5
        case .bool: 6
        case .uuid: 7
        case .date: 8
        }
    }

    @Test func theOrderIsThatOfTheElements() throws {
        let random = SeededRandom(seed: Ring.seed &+ 51)
        for _ in 0..<20_000 {
            var (a, b) = (anyElements(random), anyElements(random))
            if random.chance(0.5) {
                let shared = anyElements(random)
                (a, b) = (shared + a, shared + b)
            }
            #expect((key(a) < key(b)) == isBefore(a, b), "seed \(random.seed): \(a) \(b)")
            let isPrefix = key(b).bytes.starts(with: key(a).bytes)
            // Elements of equal bytes: 0.0 and -0.0 differ.
            #expect(isPrefix == key(Array(b.prefix(a.count))).bytes.elementsEqual(key(a).bytes), "seed \(random.seed)")
        }
    }

    @Test func keysComeBackAsTheyWere() throws {
        let random = SeededRandom(seed: Ring.seed &+ 52)
        for _ in 0..<5000 {
            let key = key(anyElements(random))
            let read = try CompositeKey(bytes: key.bytes)
            #expect(read == key, "seed \(random.seed)")
            #expect(self.key(try read.elements).bytes == key.bytes, "seed \(random.seed)")
        }
    }

    /// Bytes are refused, or they are exactly what their elements encode to.
    @Test func anyBytesDecodeOrThrow() throws {
        let random = SeededRandom(seed: Ring.seed &+ 53)
        let codes: [UInt8] = [0, 1, 2, 3, 5, 0x0c, 0x13, 0x14, 0x15, 0x16, 0x1c, 0x21, 0x26, 0x27, 0x30, 0x38, 255]
        var accepted = 0
        for _ in 0..<30_000 {
            var bytes = key(anyElements(random)).bytes
            if random.chance(0.3) { bytes = random.bytes(random.below(24)) }
            for _ in 0..<random.below(3) where !bytes.isEmpty {
                let index = random.below(bytes.count)
                switch random.below(4) {
                case 0: bytes[index] = codes[random.below(codes.count)]
                case 1: bytes.removeSubrange(index...)
                case 2: bytes.insert(codes[random.below(codes.count)], at: index)
                default: bytes[index] = UInt8(random.below(256))
                }
            }
            do throws(StorageError) {
                let read = try CompositeKey(bytes: bytes)
                #expect(key(try read.elements).bytes == bytes, "seed \(random.seed): \(bytes)")
                accepted += 1
            } catch {
                #expect(error.code == .codecFailure, "seed \(random.seed): \(bytes)")
            }
        }
        #expect(accepted > 1000)
    }
}
