import Synchronization

/// Tells whether small reads at random places find their pages in memory, by samples of the time that they take.
///
/// Pages in memory are read cheapest through a mapping, and no more than needed. A device is read cheapest by one call
/// for all that a lookup may need: a fault reads single pages, and each piece waits for the device again.
///
/// Reads are **warm** at first. Each slow sample adds ``slowWeight`` to a score, each quick one takes 1 from it. At
/// ``coldScore`` the next ``coldReads`` reads are cold, and the score becomes ``retryScore``, so that each further slow
/// sample makes as many reads cold again, while quick ones let the time run out.
///
/// Thread-safe. Concurrent updates may lose one another, which moves a change by some reads.
package final class PageResidency: Sendable {
    /// A read that takes longer waited for a device: the fault of a page in memory takes one or two microseconds, the
    /// quickest flash above fifty.
    private static let slowNanoseconds: UInt64 = 16_000
    private static let slowWeight = 16
    private static let coldScore = 64
    private static let retryScore = 48
    private static let coldReads = 4096

    private let time: any TimeSource
    private let score = Atomic(0)
    /// The number of cold reads until samples decide again.
    private let coldReadsLeft = Atomic(0)

    package init(time: any TimeSource) { self.time = time }

    /// True if reads come from the device.
    @inline(__always)
    package var isCold: Bool { coldReadsLeft.load(ordering: .relaxed) > 0 }

    /// Returns ``isCold`` for a read that begins, and counts it.
    package func begin() -> Bool {
        guard isCold else { return false }
        coldReadsLeft.wrappingSubtract(1, ordering: .relaxed)
        return true
    }

    /// Makes a read of some bytes at `offset`. The time of one read in sixteen is a sample. Its place decides which: a
    /// counter would move between the processors' caches.
    @inline(__always)
    package func sample<R, Failure: Error>(
        _ offset: UInt64, _ read: () throws(Failure) -> R
    ) throws(Failure) -> R {
        guard (offset &* 0x9E37_79B9_7F4A_7C15) >> 60 == 0 else { return try read() }
        let start = time.monotonicNanoseconds
        defer { observe(time.monotonicNanoseconds &- start) }
        return try read()
    }

    private func observe(_ nanoseconds: UInt64) {
        let before = score.load(ordering: .relaxed)
        guard nanoseconds >= PageResidency.slowNanoseconds else {
            if before > 0 { score.store(before - 1, ordering: .relaxed) }
            return
        }
        guard before + PageResidency.slowWeight >= PageResidency.coldScore else {
            score.store(before + PageResidency.slowWeight, ordering: .relaxed)
            return
        }
        score.store(PageResidency.retryScore, ordering: .relaxed)
        coldReadsLeft.store(PageResidency.coldReads, ordering: .relaxed)
    }
}
