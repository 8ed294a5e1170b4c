#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Whole pages, mapped from the system and unmapped directly.
///
/// For large allocations with a short life: `malloc` keeps such blocks in the thread's arena, where a few small
/// neighbours pin them indefinitely.
package enum Pages {
    /// The size in bytes from which an allocation uses pages.
    @usableFromInline package static let worthwhileBytes = 128 << 10

    /// Maps zeroed pages with room for `bytes`; `nil` if the system refuses.
    package static func map(_ bytes: Int) -> UnsafeMutableRawPointer? {
        guard bytes > 0 else { return nil }
        let address = unsafe mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
        guard let address = unsafe address, UInt(bitPattern: address) != UInt.max else { return nil }
        return unsafe address
    }

    /// Unmaps what ``map(_:)`` returned for the same `bytes`.
    package static func unmap(_ start: UnsafeMutableRawPointer, _ bytes: Int) {
        let status = unsafe munmap(start, bytes)
        assert(status == 0)
    }

    /// Allocates memory for a buffer, 64-byte aligned, with unspecified content: pages from 128 KiB up, heap memory
    /// below.
    static func allocate(_ bytes: Int) -> UnsafeMutableRawPointer {
        if bytes >= worthwhileBytes {
            if let spare = unsafe SparePages.take(bytes) { return unsafe spare }
            // A buffer can't report that memory is exhausted, just as a heap allocation can't.
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
