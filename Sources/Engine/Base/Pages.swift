#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Whole pages, straight from the system and straight back to it.
///
/// For allocations that are large and come and go: `malloc` keeps what it has taken for such blocks in the thread's
/// arena, where a few small neighbours hold it for good.
package enum Pages {
    /// Allocations of this size and more are better served by pages.
    @usableFromInline package static let worthwhileBytes = 128 << 10

    /// Zeroed pages with room for `bytes`; nil when the system refuses.
    package static func map(_ bytes: Int) -> UnsafeMutableRawPointer? {
        guard bytes > 0 else { return nil }
        let address = unsafe mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
        guard let address = unsafe address, UInt(bitPattern: address) != UInt.max else { return nil }
        return unsafe address
    }

    /// Gives back what ``map(_:)`` returned for the same `bytes`.
    package static func unmap(_ start: UnsafeMutableRawPointer, _ bytes: Int) {
        let status = unsafe munmap(start, bytes)
        assert(status == 0)
    }

    /// Memory for a buffer, 64-byte aligned, content unspecified: pages when it is large, else from the heap.
    static func allocate(_ bytes: Int) -> UnsafeMutableRawPointer {
        if bytes >= worthwhileBytes {
            if let spare = unsafe SparePages.take(bytes) { return unsafe spare }
            // A buffer has no way to report that there is no memory, just as the heap has none.
            guard let pages = unsafe map(bytes) else { preconditionFailure("the system has no memory left") }
            return unsafe pages
        }
        return UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 64)
    }

    /// Frees what ``allocate(_:)`` returned for the same `bytes`.
    static func free(_ start: UnsafeMutableRawPointer, _ bytes: Int) {
        if bytes < worthwhileBytes {
            unsafe start.deallocate()
        } else if unsafe !SparePages.keep(start, bytes) {
            unsafe unmap(start, bytes)
        }
    }
}
