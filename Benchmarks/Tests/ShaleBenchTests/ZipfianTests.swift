import Testing

@testable import ShaleBench

struct ZipfianTests {
    private static let count = 1000
    private static let draws = 200_000

    private func frequencies(_ item: (Zipfian, UInt64) -> Int) -> [Int] {
        let zipfian = Zipfian(count: Self.count)
        var frequencies = [Int](repeating: 0, count: Self.count)
        for draw in 0..<Self.draws { frequencies[item(zipfian, mixed(UInt64(draw) &+ 1))] += 1 }
        return frequencies
    }

    @Test("rank 0 is as frequent as its weight says, and twice as frequent as rank 1")
    func skew() {
        let frequencies = frequencies { $0.rank($1) }
        // The sum of 1/r^0.99 over 1 ... 1000 is 7.73.
        #expect(abs(Double(frequencies[0]) / Double(Self.draws) - 1 / 7.73) < 0.01)
        #expect(abs(Double(frequencies[0]) / Double(frequencies[1]) - 1.986) < 0.1)
        #expect(frequencies[900...].allSatisfy { $0 < frequencies[0] / 100 })
    }

    @Test("scrambling spreads the frequent ones over all items")
    func scrambled() {
        let frequencies = frequencies { $0.scrambled($1) }
        let top = frequencies.indices.sorted { frequencies[$0] > frequencies[$1] }.prefix(10)
        #expect(top.contains { $0 > 500 } && top.contains { $0 < 500 })
    }

    @Test("a single item is always chosen")
    func one() {
        let zipfian = Zipfian(count: 1)
        #expect((0..<100).allSatisfy { zipfian.rank(mixed($0)) == 0 && zipfian.scrambled(mixed($0)) == 0 })
    }
}
