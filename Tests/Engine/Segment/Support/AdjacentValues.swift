import ShaleBase
import ShalePlatform
import Testing

@testable import ShaleSegment

/// Values that are stored one after the other, as in a page.
struct AdjacentValues: ValueLengths {
    let values: [[UInt8]]
    let stored: [[UInt8]]

    func valueLength(_ index: Int) -> Int { values[index].count }
    func storedLength(_ index: Int) -> Int { stored[index].count }

    /// Makes values of a kind and their stored forms: as they are, if the code does not shrink them.
    init(_ kind: ValueCodeTests.Kind, _ random: SeededRandom, _ code: ValueCode) {
        values = (0..<random.below(40)).map { _ in random.below(9) == 0 ? [] : kind.value(random) }
        stored = values.map { [$0, ValueCodeTests.stored($0, code)].min { $0.count < $1.count } ?? $0 }
    }

    /// Decodes adjacent values between bytes that must not change.
    ///
    /// - Parameter slack: The room behind the values that the decoder may use.
    func decoded(
        _ stored: [UInt8], _ entries: Range<Int>, _ code: ValueCode, slack: Int
    ) throws(ParseFailure) -> (values: [UInt8], storedCount: Int) {
        let input = OwnedBytes(stored + [UInt8](repeating: 0, count: ValueCode.slackBytes))
        let count = entries.reduce(0) { $0 + valueLength($1) }
        let room = count + slack
        let output = OwnedBytes([UInt8](repeating: 0xa5, count: 64 + room + 64))
        let margin = [UInt8](repeating: 0xa5, count: 64)
        defer {
            #expect(output.bytes.slice(0, 64).array() == margin)
            #expect(output.bytes.suffix(from: 64 + room).array() == margin)
        }
        let storedCount = try code.decode(
            input.bytes.slice(0, stored.count), entries, self, into: output.mutable.slice(64, room))
        return (output.bytes.slice(64, count).array(), storedCount)
    }

    /// Expects that random ranges of random values are decoded as they were.
    static func expectSame(_ kind: ValueCodeTests.Kind, _ random: SeededRandom, _ code: ValueCode, slack: Int) throws {
        for _ in 0..<50 {
            let all = AdjacentValues(kind, random, code)
            let first = random.below(all.values.count + 1)
            let entries = first..<(first + random.below(all.values.count - first + 1))
            let stored = Array(all.stored[first...].joined())
            let result = try all.decoded(stored, entries, code, slack: slack)
            #expect(result.values == Array(all.values[entries].joined()))
            #expect(result.storedCount == all.stored[entries].joined().count)
        }
    }

    /// Decodes damaged values of random kinds, and returns how many times the decoder noticed.
    static func failuresOfDamaged(
        _ codes: [(ValueCodeTests.Kind, ValueCode)], rounds: Int, _ random: SeededRandom, slack: Int
    ) -> Int {
        var failures = 0
        for _ in 0..<rounds {
            let (kind, code) = codes[random.below(codes.count)]
            let all = AdjacentValues(kind, random, code)
            let stored = damaged(Array(all.stored.joined()), random)
            do throws(ParseFailure) {
                _ = try all.decoded(stored, 0..<all.values.count, code, slack: slack)
            } catch {
                failures += 1
            }
        }
        return failures
    }

    /// Returns bytes that are cut short, or with flipped bits, or random.
    static func damaged(_ stored: [UInt8], _ random: SeededRandom) -> [UInt8] {
        var result = stored
        switch random.below(3) {
        case 0: return Array(stored.prefix(random.below(stored.count + 1)))
        case 1: for _ in 0..<9 where !stored.isEmpty { result[random.below(stored.count)] ^= 1 << random.below(8) }
        default: result = stored.map { _ in UInt8(truncatingIfNeeded: random.next()) }
        }
        return result
    }
}
