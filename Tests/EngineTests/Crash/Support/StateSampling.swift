import ShalePlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Which of the possible states a test looks at: all of them when the environment variable SHALE_CRASH_STATES is "all".
struct StateSampling {
    static let isComplete: Bool = unsafe getenv("SHALE_CRASH_STATES").map { unsafe String(cString: $0) } == "all"

    private let seed: UInt64
    private let oneIn: Int

    init(seed: UInt64 = 1, oneIn: Int = 1) {
        self.seed = seed
        self.oneIn = StateSampling.isComplete ? 1 : oneIn
    }

    func takes(_ point: Int, _ variant: Int = 0) -> Bool {
        if oneIn <= 1 { return true }
        return SeededRandom(seed: seed &+ UInt64(point) &* 1_000_003 &+ UInt64(variant)).below(oneIn) == 0
    }
}
