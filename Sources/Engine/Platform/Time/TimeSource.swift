/// A source of time.
///
/// Injected, so that expiry, pacing and timeouts can be tested without waiting.
public protocol TimeSource: Sendable {
    /// Milliseconds since 1970-01-01 UTC, with which expiry is compared. The clock may jump and may be wrong; the
    /// engine checks it for plausibility.
    var wallMilliseconds: Int64 { get }
    /// Nanoseconds since an arbitrary start, never decreasing, with which durations are measured.
    var monotonicNanoseconds: UInt64 { get }
}

/// A source of random numbers, used for store ids. Injected for reproducible tests.
package protocol RandomSource: Sendable {
    func next() -> UInt64
}
