import Posix

/// The rate of copying memory.
enum MemoryRoofline {
    /// Returns the bytes copied per second, the best of `passes` over 64 MiB.
    static func measure(passes: Int) -> Double {
        let byteCount = 64 << 20
        let source = [UInt8](repeating: 0x5a, count: byteCount)
        var copy = [UInt8](repeating: 0, count: byteCount)
        var best = 0.0
        for _ in 0..<passes {
            let began = Clock.now
            unsafe source.withUnsafeBytes { source in
                unsafe copy.withUnsafeMutableBytes { copy in
                    guard let from = source.baseAddress, let to = copy.baseAddress else { return }
                    unsafe memcpy(to, from, byteCount)
                }
            }
            best = max(best, Double(byteCount) / Clock.seconds(since: began))
        }
        return best
    }
}
