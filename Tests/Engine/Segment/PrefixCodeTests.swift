import ShaleBase
import ShalePlatform
import Testing

@testable import ShaleSegment

/// Canonical prefix codes of bounded length.
@Suite struct PrefixCodeTests {
    @Test func frequentSymbolsHaveShortCodes() {
        #expect(PrefixCode(counts: [1, 1, 2, 4], limit: 8).lengths == [3, 3, 2, 1])
        #expect(PrefixCode(counts: [5, 5, 5, 5], limit: 8).lengths == [2, 2, 2, 2])
        #expect(PrefixCode(counts: [0, 9, 0], limit: 8).lengths == [0, 1, 0])
        #expect(PrefixCode(counts: [0, 0], limit: 8).lengths == [0, 0])
    }

    @Test func noCodeIsLongerThanTheLimit() {
        let growing = (0..<30).map { UInt32(1) << UInt32($0) }
        let lengths = PrefixCode(counts: growing, limit: 6).lengths
        #expect(lengths.max() == 6)
        #expect(lengths.reduce(0) { $0 + 64 >> Int($1) } == 64)
    }

    /// Counts of the Fibonacci numbers make the most uneven code; limited to 5 bits, its best length is known from a
    /// search over all codes.
    @Test func theLimitedCodeIsTheBest() {
        let counts: [UInt32] = [1, 1, 2, 3, 5, 8, 13, 21]
        func cost(_ lengths: [UInt8]) -> Int { zip(counts, lengths).reduce(0) { $0 + Int($1.0) * Int($1.1) } }
        var best = Int.max
        func search(_ lengths: [UInt8], _ room: Int) {
            if lengths.count == counts.count { best = min(best, cost(lengths)) }
            guard lengths.count < counts.count else { return }
            for length in 1...5 where 32 >> length <= room { search(lengths + [UInt8(length)], room - 32 >> length) }
        }
        search([], 32)
        #expect(cost(PrefixCode(counts: counts, limit: 5).lengths) == best)
    }

    @Test func noCodeBeginsAnother() throws {
        let random = SeededRandom(seed: 10)
        for _ in 0..<50 {
            let counts = (0..<60).map { _ in UInt32(random.below(3) * random.below(1000)) }
            let code = PrefixCode(counts: counts, limit: 11)
            #expect(try PrefixCode(lengths: code.lengths, limit: 11) == code)
            var owners = [Int](repeating: 0, count: 1 << 11)
            for (symbol, length) in code.lengths.enumerated() where length > 0 {
                for index in stride(from: Int(code.codes[symbol]), to: 1 << 11, by: 1 << Int(length)) {
                    owners[index] += 1
                }
            }
            #expect(owners.allSatisfy { $0 <= 1 })
        }
    }

    @Test func lengthsBeyondTheRoomAreRefused() {
        #expect(throws: ParseFailure.self) { try PrefixCode(lengths: [1, 1, 1], limit: 8) }
        #expect(throws: ParseFailure.self) { try PrefixCode(lengths: [1, 9], limit: 8) }
    }

    @Test func everyLengthAndDistanceHasOneSymbol() {
        var next = ValueCodeFormat.lengthMin
        for symbol in 0..<ValueCodeFormat.lengthCount {
            let (base, extraBits) = ValueCodeFormat.length(symbol)
            #expect(base == next)
            next += 1 << extraBits
            for length in base..<next { #expect(ValueCodeFormat.lengthSymbol(length) == symbol) }
        }
        #expect(next == ValueCodeFormat.lengthMax + 1)
        next = 1
        for symbol in 0..<ValueCodeFormat.distanceCount {
            let (base, extraBits) = ValueCodeFormat.distance(symbol)
            #expect(base == next)
            next += 1 << extraBits
            #expect(ValueCodeFormat.distanceSymbol(base) == symbol)
            #expect(ValueCodeFormat.distanceSymbol(next - 1) == symbol)
        }
        #expect(next > ValueCodeFormat.dictionaryBytesMax + ValueCodeFormat.valueBytesMax)
    }
}
