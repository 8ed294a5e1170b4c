import Testing

@testable import ShaleBench

struct KeyBufferTests {
    @Test("a key is the number's decimal digits with zeros in front", arguments: [0, 7, 99_999_999, 100_000_000])
    func digits(number: Int) {
        var key = KeyBuffer(byteCount: 20)
        key.set(number)
        let digits = String(number)
        #expect(String(decoding: key.array, as: UTF8.self) == String(repeating: "0", count: 20 - digits.count) + digits)
    }

    @Test("a missing key sorts right before keys that are there")
    func missing() {
        var key = KeyBuffer(byteCount: 16)
        key.setMissing(1230)
        let missing = key.array
        key.set(1229)
        #expect(key.array.lexicographicallyPrecedes(missing))
        key.set(1230)
        #expect(missing.lexicographicallyPrecedes(key.array))
    }
}

struct PermutationTests {
    @Test("every number comes exactly once", arguments: [1, 2, 3, 10, 1000, 4097])
    func bijection(count: Int) {
        let permutation = Permutation(count: count, seed: 7)
        #expect(Set((0..<count).map { permutation[$0] }) == Set(0..<count))
    }

    @Test("the order depends on the seed and is not the natural one")
    func shuffles() {
        let orders = (0..<2).map { seed in (0..<1000).map { Permutation(count: 1000, seed: UInt64(seed))[$0] } }
        #expect(orders[0] != orders[1])
        let ascents = zip(orders[0], orders[0].dropFirst()).count { $0 < $1 }
        #expect((400...600).contains(ascents))
    }
}

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
