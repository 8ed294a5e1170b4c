/// For C interfaces.
extension RawSpan {
    /// Valid as long as the span.
    @unsafe @inline(__always)
    var characters: UnsafePointer<CChar>? {
        unsafe withUnsafeBytes { unsafe $0.baseAddress?.assumingMemoryBound(to: CChar.self) }
    }
}

/// What an interface of LevelDB's style says of an error: text that is to be freed.
@inline(__always)
func check(
    _ error: UnsafeMutablePointer<CChar>?, _ free: (UnsafeMutableRawPointer?) -> Void
) throws {
    guard let error = unsafe error else { return }
    defer { unsafe free(error) }
    throw BenchError(unsafe String(cString: error))
}
