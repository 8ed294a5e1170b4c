import Synchronization

/// The system's random numbers, fit for identifiers that must not repeat.
package struct SystemRandom: RandomSource {
    package init() {}

    package func next() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}

/// Reproducible random numbers: splitmix64. A seed gives the same numbers on every platform and in every version.
///
/// Thread-safe; reproducible only if one thread draws. Not fit for secrets.
package final class SeededRandom: RandomSource, RandomNumberGenerator {
    package let seed: UInt64
    private let state: Atomic<UInt64>

    package init(seed: UInt64) {
        self.seed = seed
        state = Atomic(seed)
    }

    package func next() -> UInt64 {
        var z = state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        z = (z ^ (z &>> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z &>> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z &>> 31)
    }

    /// Returns a number in 0 ..< `bound`; 0 if `bound` is not positive.
    package func below(_ bound: Int) -> Int {
        guard bound > 0 else { return 0 }
        return Int(next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    /// Returns a number in [0, 1).
    package func fraction() -> Double { Double(next() &>> 11) * 0x1p-53 }

    /// Returns true with the given probability: never for 0, always for 1.
    package func chance(_ probability: Double) -> Bool { fraction() < probability }

    package func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}
