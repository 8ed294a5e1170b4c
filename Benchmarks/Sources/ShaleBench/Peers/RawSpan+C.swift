/// Access for C interfaces.
extension RawSpan {
    /// Points to the span's bytes; valid as long as the span.
    @unsafe @inline(__always)
    var characters: UnsafePointer<CChar>? {
        unsafe withUnsafeBytes { unsafe $0.baseAddress?.assumingMemoryBound(to: CChar.self) }
    }
}

/// Throws an error of an interface in LevelDB's style, a text that is freed here.
@inline(__always)
func check(
    _ error: UnsafeMutablePointer<CChar>?, _ free: (UnsafeMutableRawPointer?) -> Void
) throws {
    guard let error = unsafe error else { return }
    defer { unsafe free(error) }
    throw BenchError(unsafe String(cString: error))
}
