import Testing

@testable import ShaleBench

struct SpreadTests {
    @Test func medianOfOddAndEvenCounts() throws {
        #expect(try #require(Spread([5, 1, 3])).median == 3)
        #expect(try #require(Spread([4, 1, 3, 2])).median == 2.5)
    }

    @Test func keepsTheEnds() throws {
        let spread = try #require(Spread([10, 7, 12]))
        #expect(spread.min == 7)
        #expect(spread.max == 12)
        #expect(spread.deviation == 0.3)
    }

    @Test func oneRepetitionSaysNothingAboutSpread() throws {
        #expect(try #require(Spread([10])).deviation == nil)
    }

    @Test func nothingMeasuredHasNoMedian() {
        #expect(Spread([]) == nil)
        #expect(Spread([.nan]) == nil)
    }
}
