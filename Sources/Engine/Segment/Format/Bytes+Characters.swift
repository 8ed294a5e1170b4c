import ShaleBase

extension Bytes {
    /// The memory as C's `const char *`.
    var characters: UnsafePointer<CChar> { unsafe start.assumingMemoryBound(to: CChar.self) }
}

extension MutableBytes {
    /// The memory as C's `char *`.
    var characters: UnsafeMutablePointer<CChar> { unsafe start.assumingMemoryBound(to: CChar.self) }
}
