#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// How long the tests with threads run: `STRESS_SCALE` multiplies all of them, 1 being a few seconds each.
enum StressLimits {
    static let scale: Int = {
        guard let value = unsafe getenv("STRESS_SCALE") else { return 1 }
        return unsafe Int(String(cString: value)) ?? 1
    }()

    static func scaled(_ count: Int) -> Int { count * max(1, scale) }
}
