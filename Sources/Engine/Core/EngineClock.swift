import ShaleBase
import ShaleManifest
import ShalePlatform
import Synchronization

/// The engine's wall clock: the readings of the time source, as far as the store's ``StoreClock`` accepts them.
///
/// A reading costs two loads if it is at most the tolerance below the time shown, and not above ``limit``. Any other
/// reading, and every call of ``trusted``, is observed together with the monotonic clock, under a lock. Both clocks are
/// read before the lock is taken, because the time source may be a caller's code.
final class EngineClock: Sendable {
    private struct State {
        var clock: StoreClock?
        /// The monotonic time of the last observation, in nanoseconds.
        var monotonic: UInt64 = 0
        var changes: [StoreClock.Change] = []
        var discardedAtOpening: Int64 = 0
        /// True if the manifest stores the clock, and not only the floor.
        var isStored = false
    }

    let source: any TimeSource
    /// The time that reads use.
    private let shown = Atomic<Int64>(.min)
    /// The largest reading that may be shown without another observation.
    private let limit = Atomic<Int64>(.min)
    /// The time that removal uses, as of the last observation.
    private let removal = Atomic<Int64>(.min)
    private let hasChanges = Atomic<Bool>(false)
    private let state = Locked(State())
    let corrections = EngineCounters.Total()

    init(_ source: any TimeSource) { self.source = source }

    /// Starts from the manifest's time and the first reading.
    func begin(_ stored: StoreState) {
        let reading = source.wallMilliseconds
        let monotonic = source.monotonicNanoseconds
        let (clock, change) = stored.clock(at: reading)
        state.withLock {
            $0.clock = clock
            $0.monotonic = monotonic
            $0.isStored = stored.clock != nil
            $0.discardedAtOpening = change?.discardedMilliseconds ?? 0
            publish(clock)
        }
        if change?.discardedMilliseconds != nil { corrections.add(1) }
    }

    /// Raises the time that reads use to a time by which another process has removed entries.
    func raise(to milliseconds: Int64) { shown.max(milliseconds, ordering: .relaxed) }

    /// The number of milliseconds by which ``begin(_:)`` set the time shown back.
    var discardedAtOpening: Int64 { state.withLock { $0.discardedAtOpening } }

    /// The time that reads use, in milliseconds since 1970.
    var now: Int64 {
        let reading = source.wallMilliseconds
        if PlantedBug.isActive(.clockGoesBack) { return reading }
        let seen = shown.load(ordering: .relaxed)
        if reading <= seen {
            if seen &- reading <= StoreClock.toleranceMilliseconds { return seen }
        } else if reading <= limit.load(ordering: .relaxed) {
            return shown.max(reading, ordering: .relaxed).newValue
        }
        return observe(reading)?.shown ?? reading
    }

    /// The time that removal uses. It is never ahead of the time of any present or later read, unless a confirmed clock
    /// turns out to be wrong.
    var trusted: Int64 {
        if PlantedBug.isActive(.removeByShownTime) { return now }
        let reading = source.wallMilliseconds
        return observe(reading)?.trusted ?? reading
    }

    /// The clock after an observation now; `nil` before ``begin(_:)``.
    var current: StoreClock? { observe(source.wallMilliseconds) }

    /// The facts about time for an edit of the manifest.
    var facts: [ManifestEdit.Fact] {
        guard let clock = current else { return [] }
        let isStored = state.withLock { state in
            state.isStored = state.isStored || !clock.isFloorAlone
            return state.isStored
        }
        return isStored ? [.clockFloor(clock.trusted), .clock(clock)] : [.clockFloor(clock.trusted)]
    }

    /// The time that reads use, as read last by any thread.
    ///
    /// It does not call the time source: that is the caller's code, and no lock of the engine may be held during it
    /// (contract M-3). A reading that precedes the release of a lock is visible after taking the lock.
    var latest: Int64 { shown.load(ordering: .relaxed) }

    /// The time that removal uses, as observed last. Never ahead of ``latest``, just as ``trusted`` is never ahead of
    /// ``now``.
    var latestTrusted: Int64 {
        PlantedBug.isActive(.removeByShownTime) ? latest : removal.load(ordering: .relaxed)
    }

    /// Updates ``latest``, for readers.
    func refresh() { _ = now }

    /// Updates ``latest`` and ``latestTrusted``, for jobs.
    func refreshTrusted() { _ = current }

    /// Stores the time in `state`, for a copy of the store.
    func note(in state: inout StoreState) {
        for fact in facts {
            switch fact {
            case .clockFloor(let milliseconds): state.clockFloor = milliseconds
            case .clock(let clock): state.clock = clock
            default: break
            }
        }
    }

    var monotonicNanoseconds: UInt64 { source.monotonicNanoseconds }

    /// Observes the clocks and returns the changes that observations have found since the last call.
    func takeChanges() -> [StoreClock.Change] {
        _ = current
        guard hasChanges.exchange(false, ordering: .acquiring) else { return [] }
        return state.withLock { state in
            defer { state.changes = [] }
            return state.changes
        }
    }

    private func observe(_ reading: Int64) -> StoreClock? {
        let monotonic = source.monotonicNanoseconds
        return state.withLock { state in
            guard var clock = state.clock else { return nil }
            // Another thread may have read its clocks later but taken the lock first.
            let elapsed = monotonic > state.monotonic ? (monotonic - state.monotonic) / 1_000_000 : 0
            state.monotonic += elapsed * 1_000_000
            clock.raise(shown: shown.load(ordering: .relaxed))
            if let change = clock.observe(reading, elapsed: Int64(elapsed)) {
                if change.discardedMilliseconds != nil { corrections.add(1) }
                // Bounded, because without a timer no thread takes the changes.
                if state.changes.count < 64 { state.changes.append(change) }
                hasChanges.store(true, ordering: .releasing)
            }
            state.clock = clock
            publish(clock)
            return clock
        }
    }

    private func publish(_ clock: StoreClock) {
        limit.store(clock.limit, ordering: .relaxed)
        removal.store(clock.trusted, ordering: .relaxed)
        shown.store(clock.shown, ordering: .relaxed)
    }
}

/// A reading of the wall clock that differs by more than a day from the time that the store expects.
///
/// The reading may be right, if the store was closed or the machine suspended, or it may be wrong. So the engine
/// removes nothing by it until it has held for a day. While the store is open the monotonic clock measures that day,
/// otherwise the readings of two openings.
///
/// Readers don't see entries that expire by the reading, unless it is more than five years ahead.
public enum ClockDoubt: Sendable, Hashable {
    /// The reading is ahead of the time that removal uses.
    case ahead(by: Duration)
    /// The reading is behind. The store's time advances by the monotonic clock.
    case behind(by: Duration)

    init(_ offset: Int64) {
        self = offset < 0 ? .behind(by: .milliseconds(-offset)) : .ahead(by: .milliseconds(offset))
    }
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
            if let back = change.discardedMilliseconds { events.send(.clockSetBack(by: .milliseconds(back))) }
        }
    }
}

extension Engine {
    /// The time that readers compare expiry with, in milliseconds since 1970.
    ///
    /// If ``Engine/Options/time`` goes back by a day or less, this time stands still until the machine's clock has
    /// caught up, also across restarts. It goes back by more only if earlier readings turn out to be wrong.
    /// ``Engine/Event/clockSetBack(by:)`` or ``RecoveryReport/discardedClock`` reports that.
    public var wallMilliseconds: Int64 { core.clock.now }

    /// The time that removal uses, in milliseconds since 1970: flushes and compactions remove entries that have expired
    /// by it.
    ///
    /// It is never ahead of ``wallMilliseconds``, and behind while ``Engine/Statistics/clockDoubt`` is not `nil`.
    /// Callers that delete by age should use it too.
    public var trustedMilliseconds: Int64 { core.clock.trusted }
}
