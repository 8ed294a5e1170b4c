#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Environment variables that make a test longer, or repeat it.
enum TestSetting {
    static func number(_ name: String) -> Int? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe Int(String(cString: value))
    }
}
