import ShaleBase
import ShalePlatform
import Testing

@testable import ShaleSegment

/// Values in the static code of a segment.
@Suite struct ValueCodeTests {
    /// Kinds of values, each with a code trained on other values of its kind.
    enum Kind: CaseIterable {
        case documents, repeatedHalves, randomBytes, runs

        func value(_ random: SeededRandom) -> [UInt8] {
            switch self {
            case .documents: return ValueCodeTests.document(random)
            case .repeatedHalves:
                let half = (0..<50).map { _ in UInt8(32 + random.below(95)) }
                return half + half
            case .randomBytes: return (0..<random.below(300)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            case .runs:
                let period = 1 + random.below(9)
                let pattern = (0..<period).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                return (0..<random.below(700)).map { pattern[$0 % period] }
            }
        }

        func code(_ random: SeededRandom) -> ValueCode {
            let text = self == .documents ? (0..<20).flatMap { _ in value(random) } : []
            return ValueCodeTests.trained((0..<200).map { _ in value(random) }, dictionary: text)
        }
    }

    static func document(_ random: SeededRandom) -> [UInt8] {
        let cities = ["Stockholm", "Oslo", "Copenhagen", "Helsinki"]
        let text =
            "{\"id\":\(random.below(1 << 30)),\"city\":\"\(cities[random.below(4)])\",\"visits\":\(random.below(90)),"
            + "\"newsletter\":\(random.below(2) == 0)}"
        return Array(text.utf8)
    }

    static func trained(_ samples: [[UInt8]], dictionary: [UInt8] = []) -> ValueCode {
        let text = OwnedBytes(dictionary)
        var trainer = ValueCodeTrainer(dictionary: text.bytes)
        for sample in samples { sample.withBytes { trainer.add($0) } }
        return trainer.finish()
    }

    static func stored(_ value: [UInt8], _ code: ValueCode) -> [UInt8] {
        var encoder = ValueEncoder(code)
        var output = ByteBuffer()
        value.withBytes { encoder.append($0, to: &output) }
        return output.bytes.array()
    }

    /// Decodes a value between bytes that must not change.
    static func decoded(_ stored: [UInt8], count: Int, _ code: ValueCode) throws(ParseFailure) -> [UInt8] {
        let input = OwnedBytes(count: stored.count + ValueCode.slackBytes)
        stored.withBytes { input.mutable.copy($0, at: 0) }
        input.mutable.zero(stored.count, ValueCode.slackBytes)
        let room = count + ValueCode.slackBytes
        let output = OwnedBytes(count: 64 + room + 64)
        for index in 0..<output.count { output.mutable.store(0xa5 as UInt8, at: index) }
        let margin = [UInt8](repeating: 0xa5, count: 64)
        defer {
            #expect(output.bytes.slice(0, 64).array() == margin)
            #expect(output.bytes.suffix(from: 64 + room).array() == margin)
        }
        try code.decode(input.bytes.slice(0, stored.count), count: count, into: output.mutable.slice(64, room))
        return output.bytes.slice(64, count).array()
    }

    // MARK: Round trips

    @Test(arguments: Kind.allCases) func valuesReadTheSame(_ kind: Kind) throws {
        let random = SeededRandom(seed: 1)
        let code = kind.code(random)
        for _ in 0..<100 {
            let value = kind.value(random)
            #expect(try Self.decoded(Self.stored(value, code), count: value.count, code) == value)
        }
    }

    @Test func oneEncoderEncodesManyValues() throws {
        let random = SeededRandom(seed: 2)
        let code = Kind.documents.code(random)
        let values = (0..<50).map { _ in Self.document(random) }
        var encoder = ValueEncoder(code)
        var output = ByteBuffer()
        for value in values { value.withBytes { encoder.append($0, to: &output) } }
        #expect(output.bytes.array() == values.flatMap { Self.stored($0, code) })
    }

    @Test(arguments: [0, 1, 3, 4, 5, 257, 258, 259, 260, 65_535]) func valuesOfEveryLengthReadTheSame(
        _ count: Int
    ) throws {
        let random = SeededRandom(seed: 3)
        let code = Kind.documents.code(random)
        let mixed = (0..<count).map { index in
            UInt8(truncatingIfNeeded: random.below(3) == 0 ? random.next() : UInt64(index / 7))
        }
        for value in [mixed, [UInt8](repeating: 7, count: count)] {
            #expect(try Self.decoded(Self.stored(value, code), count: count, code) == value)
        }
    }

    @Test func everyByteHasACode() throws {
        let code = Self.trained([Array("aaab".utf8)])
        let value = (0...255).map { UInt8($0) }
        let stored = Self.stored(value, code)
        #expect(try Self.decoded(stored, count: 256, code) == value)
        #expect(stored.count <= 256 * 19 / 8)
    }

    @Test func theLongestDictionaryIsWithinReach() throws {
        let random = SeededRandom(seed: 4)
        let text = (0..<65_535).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let code = Self.trained([], dictionary: text)
        let noise = (0..<65_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let value = text.prefix(40) + noise + text.prefix(200) + text.suffix(200)
        #expect(try Self.decoded(Self.stored(Array(value), code), count: value.count, code) == Array(value))
    }

    @Test func textOfTheDictionaryIsShort() {
        let random = SeededRandom(seed: 5)
        let documents = (0..<400).map { _ in Self.document(random) }
        let code = Self.trained(Array(documents.suffix(300)), dictionary: documents.prefix(100).flatMap { $0 })
        let value = Self.document(random)
        #expect(Self.stored(value, code).count * 4 < value.count)
    }

    // MARK: Pairs

    @Test func aFrequentMatchHasAnItemOfItsOwn() throws {
        let random = SeededRandom(seed: 30)
        let code = Kind.repeatedHalves.code(random)
        #expect(code.pairs.first == ValuePair(length: 50, distance: 50))
        let plain = ValueCode(
            dictionary: code.dictionary, items: Self.withoutPairs(code), distances: code.distances)
        let values = (0..<200).map { _ in Kind.repeatedHalves.value(random) }
        let size = values.reduce(0) { $0 + Self.stored($1, code).count }
        let plainSize = values.reduce(0) { $0 + Self.stored($1, plain).count }
        #expect(size + values.count / 2 < plainSize)
    }

    /// Returns the items of a code without those of its pairs. The codes of the others stay as long as they were.
    private static func withoutPairs(_ code: ValueCode) -> PrefixCode {
        let counts = code.items.lengths.prefix(ValueCodeFormat.itemCount).map { length in
            length == 0 ? 0 : UInt32(1) << UInt32(16 - Int(length))
        }
        return PrefixCode(counts: counts, limit: ValueCodeFormat.itemBitsMax)
    }

    @Test func equalSamplesGiveEqualPairs() {
        let random = SeededRandom(seed: 31)
        let samples = (0..<300).map { _ in Self.document(random) }
        let text = samples.prefix(20).flatMap { $0 }
        let codes = (0..<5).map { _ in Self.trained(samples, dictionary: text) }
        #expect(codes.allSatisfy { $0 == codes[0] && $0.pairs == codes[0].pairs })
        #expect(!codes[0].pairs.isEmpty)
    }

    @Test func aCodeWithDamagedPairsIsRefused() throws {
        var output = ByteBuffer()
        Kind.repeatedHalves.code(SeededRandom(seed: 32)).encode(to: &output)
        let good = output.bytes.array()
        // The number of pairs follows the dictionary's length; then length and distance of the first pair.
        for (offset, bytes) in [
            (4, [0]), (4, [9]), (5, [2, 0]), (5, [3, 1]), (7, [0, 0, 0, 0]), (7, [255, 255, 2, 0]),
        ] as [(Int, [UInt8])] {
            var bad = good
            bad.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
            #expect(throws: ParseFailure.self) {
                try bad.lent { (bytes) throws(ParseFailure) in try ValueCode(parsing: bytes) }
            }
        }
    }

    // MARK: Many values

    @Test(arguments: Kind.allCases) func adjacentValuesReadTheSame(_ kind: Kind) throws {
        let random = SeededRandom(seed: 20)
        try AdjacentValues.expectSame(kind, random, kind.code(random), slack: 0)
    }

    @Test func damagedAdjacentValuesStayInBounds() {
        let random = SeededRandom(seed: 21)
        let codes = Kind.allCases.map { ($0, $0.code(random)) }
        #expect(AdjacentValues.failuresOfDamaged(codes, rounds: 500, random, slack: 0) > 150)
    }

    // MARK: Stored forms

    @Test func aStoredCodeReadsTheSame() throws {
        let random = SeededRandom(seed: 6)
        for kind in Kind.allCases {
            let code = kind.code(random)
            var output = ByteBuffer()
            code.encode(to: &output)
            let copy = try ValueCode(parsing: output.bytes)
            #expect(copy.items == code.items)
            #expect(copy.distances == code.distances)
            #expect(copy.dictionary == code.dictionary)
            #expect(copy.pairs == code.pairs)
            let value = kind.value(random)
            #expect(Self.stored(value, copy) == Self.stored(value, code))
            #expect(try Self.decoded(Self.stored(value, code), count: value.count, copy) == value)
        }
    }

    /// The bytes of a value and of a code, as they are on disk for good.
    @Test func theFormatStaysTheSame() throws {
        let samples = ["one two three", "two three four", "three four five"].map { Array($0.utf8) }
        let code = Self.trained(samples, dictionary: Array("zero one two ".utf8))
        var output = ByteBuffer()
        code.encode(to: &output)
        #expect(output.count == ValueCodeFormat.headerBytes + 13)
        #expect(XXH3.hash(output.bytes) == 6_514_335_334_055_793_391)
        let stored = Self.stored(Array("five two three three three, X".utf8), code)
        #expect(stored == [148, 164, 5, 66, 89, 128, 230, 63, 178, 152, 136, 5])
    }

    // MARK: Damage

    @Test func aDamagedValueStaysInBounds() throws {
        let random = SeededRandom(seed: 7)
        let codes = Kind.allCases.map { ($0, $0.code(random)) }
        var failures = 0
        for _ in 0..<1000 {
            let (kind, code) = codes[random.below(codes.count)]
            let value = kind.value(random)
            var stored = Self.stored(value, code)
            switch random.below(3) {
            case 0: stored = Array(stored.prefix(random.below(stored.count)))
            case 1: for _ in 0..<3 where !stored.isEmpty { stored[random.below(stored.count)] ^= 1 << random.below(8) }
            default: stored = (0..<random.below(60)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            }
            do throws(ParseFailure) {
                _ = try Self.decoded(stored, count: value.count, code)
            } catch {
                failures += 1
            }
        }
        // A changed literal still makes a value: only the checksum notices that.
        #expect(failures > 400)
    }

    @Test func aValueOfAnotherLengthIsRefused() throws {
        let random = SeededRandom(seed: 8)
        let code = Kind.repeatedHalves.code(random)
        let value = Kind.repeatedHalves.value(random)
        let stored = Self.stored(value, code)
        for count in [0, 1, 49, 99, 101, 150] {
            #expect(throws: ParseFailure.self) { try Self.decoded(stored, count: count, code) }
        }
    }

    @Test func aCodeThatIsNoCodeIsRefused() throws {
        let random = SeededRandom(seed: 9)
        var output = ByteBuffer()
        // Too few samples for pairs, before which the lengths of codes would not begin at byte 4.
        let text = (0..<20).flatMap { _ in Kind.documents.value(random) }
        let code = Self.trained((0..<12).map { _ in Kind.documents.value(random) }, dictionary: text)
        #expect(code.pairs.isEmpty)
        code.encode(to: &output)
        let good = output.bytes.array()
        func parse(_ change: (inout [UInt8]) -> Void) throws(ParseFailure) {
            var bytes = good
            change(&bytes)
            _ = try bytes.withBytes { (bytes) throws(ParseFailure) in try ValueCode(parsing: bytes) }
        }
        try parse { _ in }
        #expect(throws: ParseFailure.self) { try parse { $0.removeLast() } }
        #expect(throws: ParseFailure.self) { try parse { $0.append(0) } }
        #expect(throws: ParseFailure.self) { try parse { $0[2] = 1 } }
        #expect(throws: ParseFailure.self) { try parse { $0 = Array($0.prefix(80)) } }
        // More short codes than there are, codes of twelve and eleven bits, a length after the last item, no escape,
        // no code for the shortest distance.
        #expect(throws: ParseFailure.self) { try parse { for index in 4..<10 { $0[index] = 0x11 } } }
        #expect(throws: ParseFailure.self) { try parse { $0[4] = 0x0c } }
        #expect(throws: ParseFailure.self) { try parse { $0[4 + 142] |= 0x10 } }
        #expect(throws: ParseFailure.self) { try parse { $0[4 + 143] = 0x0b } }
        #expect(throws: ParseFailure.self) { try parse { $0[4 + 142] = 0 } }
        #expect(throws: ParseFailure.self) { try parse { $0[4 + 143] &= 0xf0 } }
    }
}
