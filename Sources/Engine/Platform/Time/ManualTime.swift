import Synchronization

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
