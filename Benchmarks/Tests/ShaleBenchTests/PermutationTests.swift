import Testing

@testable import ShaleBench

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
