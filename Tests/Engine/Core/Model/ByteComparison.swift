#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Comparisons that are also fast in debug builds, where loops over bytes are slow.
enum ByteComparison {
    static func areEqual(_ a: RawSpan, _ b: RawSpan) -> Bool {
        guard a.byteCount == b.byteCount else { return false }
        return unsafe a.withUnsafeBytes { a in
            unsafe b.withUnsafeBytes { b in
                guard let x = a.baseAddress, let y = b.baseAddress else { return true }
                return unsafe memcmp(x, y, a.count) == 0
            }
        }
    }

    static func precedes(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        let order = unsafe a.withUnsafeBytes { a in
            unsafe b.withUnsafeBytes { b in
                guard let x = a.baseAddress, let y = b.baseAddress else { return Int32(0) }
                return unsafe memcmp(x, y, min(a.count, b.count))
            }
        }
        return order != 0 ? order < 0 : a.count < b.count
    }
}
