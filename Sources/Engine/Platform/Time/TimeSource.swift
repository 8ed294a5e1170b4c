/// Where time comes from. Injected, so that expiry, pacing and timeouts can be tested without waiting.
public protocol TimeSource: Sendable {
    /// Milliseconds since 1970-01-01 UTC: what expiry is compared with. May jump and may be wrong: the engine judges it.
    var wallMilliseconds: Int64 { get }
    /// Nanoseconds from an arbitrary start, never falling: what durations are measured with.
    var monotonicNanoseconds: UInt64 { get }
}

/// Where chance comes from (store ids). Injected for reproducible tests.
package protocol RandomSource: Sendable {
    func next() -> UInt64
}
