import Synchronization

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

    /// Allocates memory for a buffer with unspecified content: pages from 128 KiB up, heap memory with this alignment
    /// below.
    static func allocate(_ bytes: Int, alignment: Int = 64) -> UnsafeMutableRawPointer {
        if usesPages(bytes) {
            if let spare = unsafe SparePages.take(bytes) { return unsafe spare }
            // A buffer can't report that memory is exhausted, just as a heap allocation can't.
            guard let pages = unsafe map(bytes) else { preconditionFailure("the system has no memory left") }
            return unsafe pages
        }
        return UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: alignment)
    }

    private static func usesPages(_ bytes: Int) -> Bool {
        #if SHALE_SCHEDULES
            // A run takes less time than the first touches of fresh pages.
            false
        #else
            bytes >= worthwhileBytes
        #endif
    }

    /// Frees what ``allocate(_:)`` returned for the same `bytes`.
    static func free(_ start: UnsafeMutableRawPointer, _ bytes: Int) {
        if !usesPages(bytes) {
            unsafe start.deallocate()
        } else if unsafe !SparePages.keep(start, bytes) {
            unsafe unmap(start, bytes)
        }
    }
}

/// A small cache of freed page runs for the next buffer of the same size.
///
/// Batches follow each other, and each fills a buffer. Mapping fresh pages for every batch would cost about 20 ns per
/// operation, more than encoding the operation. The cache holds at most 1.75 MiB per process. Thread-safe; no call
/// waits.
private enum SparePages {
    /// Addresses of cached runs, 0 if the place is empty: two of 128 KiB, two of 256 KiB and two of 512 KiB.
    private static let first = Atomic<UInt>(0)
    private static let second = Atomic<UInt>(0)
    private static let third = Atomic<UInt>(0)
    private static let fourth = Atomic<UInt>(0)
    private static let fifth = Atomic<UInt>(0)
    private static let sixth = Atomic<UInt>(0)

    /// Takes a cached run of exactly `bytes`; `nil` if there is none.
    static func take(_ bytes: Int) -> UnsafeMutableRawPointer? {
        switch bytes {
        case 128 << 10: unsafe take(first, second)
        case 256 << 10: unsafe take(third, fourth)
        case 512 << 10: unsafe take(fifth, sixth)
        default: nil
        }
    }

    /// Caches an unused run of pages. Returns false if no place is free; the caller then unmaps it.
    static func keep(_ start: UnsafeMutableRawPointer, _ bytes: Int) -> Bool {
        switch bytes {
        case 128 << 10: unsafe keep(start, first, second)
        case 256 << 10: unsafe keep(start, third, fourth)
        case 512 << 10: unsafe keep(start, fifth, sixth)
        default: false
        }
    }

    private static func take(_ one: borrowing Atomic<UInt>, _ other: borrowing Atomic<UInt>) -> UnsafeMutableRawPointer?
    {
        if let pages = unsafe UnsafeMutableRawPointer(bitPattern: one.exchange(0, ordering: .acquiring)) {
            return unsafe pages
        }
        return unsafe UnsafeMutableRawPointer(bitPattern: other.exchange(0, ordering: .acquiring))
    }

    private static func keep(
        _ start: UnsafeMutableRawPointer, _ one: borrowing Atomic<UInt>, _ other: borrowing Atomic<UInt>
    ) -> Bool {
        let address = UInt(bitPattern: start)
        if one.compareExchange(expected: 0, desired: address, ordering: .releasing).exchanged { return true }
        return other.compareExchange(expected: 0, desired: address, ordering: .releasing).exchanged
    }
}
