import Synchronization

/// A few runs of pages that were freed and wait for the next buffer of their size.
///
/// Batches come one after the other, and each fills a buffer: pages that are fresh from the system every time would cost
/// more (about 20 ns per operation of a batch) than what is put into them. At most 1.75 MiB are kept in a process.
/// Any thread; nothing here waits.
enum SparePages {
    /// Addresses; 0 where nothing is kept. Two of 128, two of 256 and two of 512 KiB.
    private static let first = Atomic<UInt>(0)
    private static let second = Atomic<UInt>(0)
    private static let third = Atomic<UInt>(0)
    private static let fourth = Atomic<UInt>(0)
    private static let fifth = Atomic<UInt>(0)
    private static let sixth = Atomic<UInt>(0)

    /// Pages of exactly `bytes`, or nil.
    static func take(_ bytes: Int) -> UnsafeMutableRawPointer? {
        switch bytes {
        case 128 << 10: unsafe take(first, second)
        case 256 << 10: unsafe take(third, fourth)
        case 512 << 10: unsafe take(fifth, sixth)
        default: nil
        }
    }

    /// Whether the pages, which nobody uses any more, were kept.
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
