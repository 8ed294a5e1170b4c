import ShaleManifest
import ShalePlatform

/// A reading of the wall clock that is more than a day off the time that the store knows.
///
/// The reading may be right, if the store was closed or the machine suspended, or it may be a mistake. So the engine removes
/// nothing by it until it has held for a day: by the monotonic clock while the store is open, or by the readings of two
/// openings. Readers don't see what expires by the reading, unless it is more than five years ahead.
public enum ClockDoubt: Sendable, Hashable {
    /// The reading is ahead of the time that removal goes by.
    case ahead(milliseconds: Int64)
    /// The reading is behind. The store's time goes on by the monotonic clock.
    case behind(milliseconds: Int64)

    init(_ offset: Int64) { self = offset < 0 ? .behind(milliseconds: -offset) : .ahead(milliseconds: offset) }
}

extension EngineClock {
    /// The doubt of this moment.
    var doubt: ClockDoubt? { current?.doubtedMilliseconds.map { ClockDoubt($0) } }
}

extension EngineCore {
    /// Sends what observations of the clock have changed. The observers themselves don't: they may hold locks.
    func reportClock() {
        for change in clock.takeChanges() {
            if let offset = change.doubtedMilliseconds { events.send(.clockDoubted(ClockDoubt(offset))) }
            if let back = change.discardedMilliseconds { events.send(.clockSetBack(milliseconds: back)) }
        }
    }
}
