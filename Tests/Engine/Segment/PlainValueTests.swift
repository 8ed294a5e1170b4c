import ShaleBase
import ShalePlatform
import Testing

@testable import ShaleSegment

/// Values in the plain form.
@Suite struct PlainValueTests {
    private typealias Kind = ValueCodeTests.Kind

    private static func code(_ dictionary: [UInt8] = []) -> ValueCode {
        let text = OwnedBytes(dictionary)
        return ValueCode(plain: text.bytes)
    }

    private static func code(_ kind: Kind, _ random: SeededRandom) -> ValueCode {
        code(kind == .documents ? (0..<20).flatMap { _ in kind.value(random) } : [])
    }

    private static func stored(_ value: [UInt8], _ code: ValueCode) -> [UInt8] { ValueCodeTests.stored(value, code) }

    private static func decoded(_ stored: [UInt8], count: Int, _ code: ValueCode) throws(ParseFailure) -> [UInt8] {
        try ValueCodeTests.decoded(stored, count: count, code)
    }

    private func expectRoundTrip(_ value: [UInt8], _ code: ValueCode) throws {
        let stored = Self.stored(value, code)
        #expect(stored.count <= value.count + value.count / 64 + 3)
        #expect(try Self.decoded(stored, count: value.count, code) == value)
    }

    // MARK: Round trips

    @Test(arguments: ValueCodeTests.Kind.allCases) func valuesReadTheSame(_ kind: ValueCodeTests.Kind) throws {
        let random = SeededRandom(seed: 1)
        let code = Self.code(kind, random)
        for _ in 0..<300 { try expectRoundTrip(kind.value(random), code) }
    }

    @Test(arguments: [0, 1, 3, 14, 15, 16, 17, 135, 136, 137, 142, 143, 278, 279, 65_535])
    func valuesOfEveryLengthReadTheSame(_ count: Int) throws {
        let random = SeededRandom(seed: 2)
        let code = Self.code()
        let letters = (0..<count).map { _ in UInt8(32 + random.below(95)) }
        let noise = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        for value in [letters, noise, [UInt8](repeating: 7, count: count)] { try expectRoundTrip(value, code) }
    }

    @Test(arguments: 1...40) func textRepeatsAtEveryDistance(_ distance: Int) throws {
        let random = SeededRandom(seed: 3)
        let code = Self.code()
        for length in [4, 5, 15, 16, 17, 18, 31, 33, 258, 259, 600] {
            let pattern = (0..<distance).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let value = (0..<(distance + length)).map { pattern[$0 % distance] } + [1, 2, 3]
            try expectRoundTrip(value, code)
        }
    }

    @Test func textOfTheDictionaryIsShort() throws {
        let random = SeededRandom(seed: 4)
        let code = Self.code((0..<300).flatMap { _ in ValueCodeTests.document(random) })
        for _ in 0..<100 {
            let value = ValueCodeTests.document(random)
            try expectRoundTrip(value, code)
            #expect(Self.stored(value, code).count * 5 < value.count * 2)
        }
    }

    @Test func theEndsOfTheDictionaryAreWithinReach() throws {
        let random = SeededRandom(seed: 5)
        let text = (0..<4000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let code = Self.code(text)
        for count in [4, 15, 16, 17, 100] {
            let value = text.prefix(count) + [1] + text.suffix(count)
            try expectRoundTrip(Array(value), code)
            #expect(Self.stored(Array(value), code).count < 14)
        }
    }

    /// A distance has sixteen bits, so a long dictionary is not in reach of every place.
    @Test func theLongestDictionaryIsUsedAsFarAsDistancesReach() throws {
        let random = SeededRandom(seed: 6)
        let text = (0..<65_535).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let code = Self.code(text)
        let noise = (0..<65_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        try expectRoundTrip(Array(text.prefix(40) + noise + text.prefix(200) + text.suffix(200)), code)
    }

    /// Eight letters take seven bytes.
    @Test func longRunsOfLettersArePacked() throws {
        let random = SeededRandom(seed: 7)
        let code = Self.code()
        let letters = (0..<104).map { _ in UInt8(random.below(128)) }
        #expect(Self.stored(letters, code).count == 2 + 91)
        let mixed = letters + [200]
        #expect(Self.stored(mixed, code).count == 2 + 105)
        try expectRoundTrip(mixed, code)
    }

    // MARK: Many values

    @Test(arguments: ValueCodeTests.Kind.allCases) func adjacentValuesReadTheSame(_ kind: ValueCodeTests.Kind) throws {
        let random = SeededRandom(seed: 20)
        try AdjacentValues.expectSame(kind, random, Self.code(kind, random), slack: ValueCode.slackBytes)
    }

    @Test func damagedAdjacentValuesStayInBounds() {
        let random = SeededRandom(seed: 21)
        let codes = Kind.allCases.map { ($0, Self.code($0, random)) }
        let failures = AdjacentValues.failuresOfDamaged(codes, rounds: 2000, random, slack: ValueCode.slackBytes)
        #expect(failures > 500)
    }

    // MARK: Stored forms

    @Test func aStoredCodeReadsTheSame() throws {
        for text in ["", "some text that values refer to"].map({ Array($0.utf8) }) {
            let code = Self.code(text)
            var output = ByteBuffer()
            code.encode(to: &output)
            #expect(output.bytes.array() == [UInt8(text.count), 0, 0, 0x40] + text)
            let copy = try ValueCode(parsing: output.bytes)
            #expect(copy.isPlain && copy == code && copy.dictionary == code.dictionary)
        }
    }

    @Test func aCodeOfAnotherLengthIsRefused() throws {
        for bad in [
            [3, 0, 0, 0x40, 1, 2], [3, 0, 0, 0x40, 1, 2, 3, 4], [0, 0, 1, 0x40], [0, 0, 0, 0xc0], [0, 0, 0, 0x60],
        ] as [[UInt8]] {
            #expect(throws: ParseFailure.self) {
                try bad.lent { (bytes) throws(ParseFailure) in try ValueCode(parsing: bytes) }
            }
        }
    }

    /// The bytes of values, as they are on disk for good.
    @Test func theFormatStaysTheSame() throws {
        let code = Self.code(Array("zero one two ".utf8))
        // Two literals, then ten bytes of the dictionary at a distance of fifteen back from offset two.
        #expect(Self.stored(Array("> zero one t!".utf8), code) == [0x27, 15, 0, 0x3e, 0x20, 0x10, 0x21])
        // Sixteen packed letters, which then repeat: 15 + 1 literals, 18 + 2 bytes at a distance of sixteen.
        let letters = Array("ABCDEFGHIJKLMNOP".utf8)
        #expect(
            Self.stored(letters + letters + letters.prefix(4), code)
                == [0xff, 0x81, 2, 16, 0] + [0x41, 0x42, 0x43, 0xc4, 0x45, 0x46, 0xc7] + [
                    0x49, 0x4a, 0x4b, 0x4c, 0xcd, 0x4e, 0xcf,
                ])
    }

    // MARK: Damage

    @Test func aDamagedValueStaysInBounds() throws {
        let random = SeededRandom(seed: 8)
        let codes = Kind.allCases.map { ($0, Self.code($0, random)) }
        var failures = 0
        for _ in 0..<5000 {
            let (kind, code) = codes[random.below(codes.count)]
            let value = kind.value(random)
            let stored = AdjacentValues.damaged(Self.stored(value, code), random)
            do throws(ParseFailure) {
                _ = try Self.decoded(stored, count: value.count, code)
            } catch {
                failures += 1
            }
        }
        // A changed literal still makes a value: only the checksum notices that.
        #expect(failures > 2000)
    }

    @Test func aValueOfAnotherLengthIsRefused() throws {
        let random = SeededRandom(seed: 9)
        let code = Self.code()
        let stored = Self.stored(Kind.repeatedHalves.value(random), code)
        for count in [0, 1, 49, 50, 99, 101, 150] {
            #expect(throws: ParseFailure.self) { try Self.decoded(stored, count: count, code) }
        }
    }

    @Test(
        arguments: [
            // Nothing at all; a step without literals and match, and then nothing; four bytes at no distance.
            [], [0], [0x01, 0, 0],
            // Beyond the dictionary, and across its end.
            [0x01, 13, 0], [0x01, 12, 0, 0x01, 17, 0], [0x01, 3, 0],
            // Literals that are missing, all or some of them, packed or not.
            [0x40], [0x40, 1, 2, 3], [0xf0, 0x85, 1], [0xf0],
            // A match that is cut short.
            [0x01], [0x01, 1], [0x0f, 1, 1], [0x10, 7, 0x0f],
        ] as [[UInt8]]) func invalidStepsAreRefused(_ stored: [UInt8])
    {
        let code = Self.code(Array("a dictionary".utf8))
        for count in [4, 8, 22] {
            #expect(throws: ParseFailure.self) { try Self.decoded(stored, count: count, code) }
        }
    }
}
