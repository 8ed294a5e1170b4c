import TestSupport

/// The duration of the tests with threads: 1 is a few seconds each, and `STRESS_SCALE` overrides the ring.
enum StressLimits {
    static let scale: Int =
        Ring.setting("STRESS_SCALE").flatMap { Int($0) } ?? Ring.choose(commit: 1, nightly: 8, release: 40)

    static func scaled(_ count: Int) -> Int { count * max(1, scale) }
}
