#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Environment variables that lengthen or repeat a test.
enum TestSetting {
    static func number(_ name: String) -> Int? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe Int(String(cString: value))
    }
}
