import ShaleManifest
import ShalePlatform

/// A reading of the wall clock that differs by more than a day from the time that the store expects.
///
/// The reading may be right, if the store was closed or the machine suspended, or it may be wrong. So the engine
/// removes nothing by it until it has held for a day. While the store is open the monotonic clock measures that day,
/// otherwise the readings of two openings.
///
/// Readers don't see entries that expire by the reading, unless it is more than five years ahead.
public enum ClockDoubt: Sendable, Hashable {
    /// The reading is ahead of the time that removal uses.
    case ahead(milliseconds: Int64)
    /// The reading is behind. The store's time advances by the monotonic clock.
    case behind(milliseconds: Int64)

    init(_ offset: Int64) { self = offset < 0 ? .behind(milliseconds: -offset) : .ahead(milliseconds: offset) }
}

extension EngineClock {
    /// The present doubt about the clock, if any.
    var doubt: ClockDoubt? { current?.doubtedMilliseconds.map { ClockDoubt($0) } }
}

extension EngineCore {
    /// Sends the changes that observations of the clock have found. The observing threads don't send them, because they
    /// may hold locks.
    func reportClock() {
        for change in clock.takeChanges() {
            if let offset = change.doubtedMilliseconds { events.send(.clockDoubted(ClockDoubt(offset))) }
            if let back = change.discardedMilliseconds { events.send(.clockSetBack(milliseconds: back)) }
        }
    }
}
