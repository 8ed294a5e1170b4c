import ShaleBase
import ShalePlatform
import Synchronization

/// The engine's wall clock: the time source's, but never going back, not even across restarts: an entry that was once
/// seen expired stays expired. The manifest keeps the floor.
final class EngineClock: Sendable {
    let source: any TimeSource
    private let floor: Atomic<Int64>

    init(_ source: any TimeSource) {
        self.source = source
        floor = Atomic(0)
    }

    /// Never reads less than `milliseconds` from now on.
    func raise(to milliseconds: Int64) { _ = floor.max(milliseconds, ordering: .relaxed) }

    /// Milliseconds since 1970.
    var now: Int64 {
        let reading = source.wallMilliseconds
        if PlantedBug.isActive(.clockGoesBack) { return reading }
        let seen = floor.load(ordering: .relaxed)
        if reading <= seen { return seen }
        return floor.max(reading, ordering: .relaxed).newValue
    }

    /// What was read last, by any thread, or the floor if that is more. Asks the time source nothing: it is the caller's
    /// code, which no lock of ours may be held for (contract M-3). Readings before a lock was released are included.
    var latest: Int64 { floor.load(ordering: .relaxed) }

    /// Brings ``latest`` up to date.
    func refresh() { _ = now }

    var monotonicNanoseconds: UInt64 { source.monotonicNanoseconds }
}
