import ShalePlatform

/// A selection of the possible states for a test, different for every share and seed.
package struct StateSampling {
    private let seed: UInt64
    private let oneIn: Int

    package init(seed: UInt64 = 1, oneIn: Int) {
        self.seed = seed &+ Ring.seed &* 0x9FB2_1C65_1E98_DF25
        self.oneIn = oneIn
    }

    package func takes(_ point: Int, _ variant: Int = 0) -> Bool {
        if oneIn <= 1 { return true }
        return SeededRandom(seed: seed &+ UInt64(bitPattern: Int64(point)) &* 1_000_003 &+ UInt64(variant)).below(oneIn)
            == 0
    }
}
