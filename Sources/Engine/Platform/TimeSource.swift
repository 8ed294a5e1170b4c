import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

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

/// The machine's clocks.
public struct SystemTime: TimeSource {
    public init() {}

    public var wallMilliseconds: Int64 {
        let time = SystemTime.read(CLOCK_REALTIME)
        return Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000
    }

    public var monotonicNanoseconds: UInt64 {
        #if SHALE_SCHEDULES
            if let scheduler = ThreadScheduler.current { return scheduler.nanoseconds }
        #endif
        let time = SystemTime.read(CLOCK_MONOTONIC)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return time
    }
}

/// Clocks that only move when told to. Thread-safe.
package final class ManualTime: TimeSource {
    private let wall: Atomic<Int64>
    private let monotonic: Atomic<UInt64>

    package init(wallMilliseconds: Int64 = 1_700_000_000_000, monotonicNanoseconds: UInt64 = 1) {
        wall = Atomic(wallMilliseconds)
        monotonic = Atomic(monotonicNanoseconds)
    }

    /// The wall clock. It may be set to any time, also backwards, like the machine's clock.
    package var wallMilliseconds: Int64 {
        get { wall.load(ordering: .acquiring) }
        set { wall.store(newValue, ordering: .releasing) }
    }

    package var monotonicNanoseconds: UInt64 { monotonic.load(ordering: .acquiring) }

    /// Moves both clocks forward.
    package func advance(milliseconds: UInt64) {
        monotonic.wrappingAdd(milliseconds &* 1_000_000, ordering: .acquiringAndReleasing)
        wall.wrappingAdd(Int64(milliseconds), ordering: .acquiringAndReleasing)
    }

    /// Moves the monotonic clock alone.
    package func advance(nanoseconds: UInt64) {
        monotonic.wrappingAdd(nanoseconds, ordering: .acquiringAndReleasing)
    }
}
