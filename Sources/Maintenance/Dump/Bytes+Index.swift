import ShaleBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension Bytes {
    /// Returns the index of the first `byte` at or after `start`.
    func index(of byte: UInt8, from start: Int) -> Int? {
        guard start < count, let found = unsafe memchr(self.start + start, Int32(byte), count - start) else {
            return nil
        }
        return unsafe UnsafeRawPointer(found) - self.start
    }
}
