import Synchronization

/// A small cache of freed page runs for the next buffer of the same size.
///
/// Batches follow each other, and each fills a buffer. Mapping fresh pages for every batch would cost about 20 ns per
/// operation, more than encoding the operation. The cache holds at most 1.75 MiB per process. Thread-safe; no call
/// waits.
enum SparePages {
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
