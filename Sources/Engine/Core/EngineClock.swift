import ShaleBase
import ShaleManifest
import ShalePlatform
import Synchronization

/// The engine's wall clock: the time source's readings, as far as the store's ``StoreClock`` believes them.
///
/// A reading that is at most the tolerance below the time shown, and not above ``limit``, costs no more than two loads. Any
/// other reading, and every call of ``trusted``, is observed together with the monotonic clock, under a lock. Both clocks are
/// read before the lock is taken, because the time source may be a caller's.
final class EngineClock: Sendable {
    private struct State {
        var clock: StoreClock?
        /// Of the last observation, in nanoseconds.
        var monotonic: UInt64 = 0
        var changes: [StoreClock.Change] = []
        var discardedAtOpening: Int64 = 0
        /// Whether the manifest has the clock, and not only the floor.
        var isStored = false
    }

    let source: any TimeSource
    /// What reads go by.
    private let shown = Atomic<Int64>(.min)
    /// The largest reading that may be shown without another observation.
    private let limit = Atomic<Int64>(.min)
    /// What removal goes by, as of the last observation.
    private let removal = Atomic<Int64>(.min)
    private let hasChanges = Atomic<Bool>(false)
    private let state = Guarded(State())
    let corrections = EngineCounters.Total()

    init(_ source: any TimeSource) { self.source = source }

    /// Begins with what the manifest keeps, and with the first reading.
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

    /// By how much ``begin(_:)`` set the time shown back.
    var discardedAtOpening: Int64 { state.withLock { $0.discardedAtOpening } }

    /// What reads go by, in milliseconds since 1970.
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

    /// What removal goes by: never ahead of what any read, now or later, goes by, unless a clock that was confirmed turns
    /// out to have been wrong.
    var trusted: Int64 {
        if PlantedBug.isActive(.removeByShownTime) { return now }
        let reading = source.wallMilliseconds
        return observe(reading)?.trusted ?? reading
    }

    /// The clock of this moment; `nil` before ``begin(_:)``.
    var current: StoreClock? { observe(source.wallMilliseconds) }

    /// What an edit of the manifest says of the time.
    var facts: [ManifestEdit.Fact] {
        guard let clock = current else { return [] }
        let isStored = state.withLock { state in
            state.isStored = state.isStored || !clock.isFloorAlone
            return state.isStored
        }
        return isStored ? [.clockFloor(clock.trusted), .clock(clock)] : [.clockFloor(clock.trusted)]
    }

    /// What reads go by, as it was read last by any thread. Does not call the time source: that is the caller's code, for
    /// which no lock of the engine may be held (contract M-3). Readings before a lock was released are included.
    var latest: Int64 { shown.load(ordering: .relaxed) }

    /// What removal goes by, as it was observed last. Never ahead of ``latest``, as ``trusted`` is not of ``now``.
    var latestTrusted: Int64 {
        PlantedBug.isActive(.removeByShownTime) ? latest : removal.load(ordering: .relaxed)
    }

    /// Brings ``latest`` up to date, for readers.
    func refresh() { _ = now }

    /// Brings ``latest`` and ``latestTrusted`` up to date, for jobs.
    func refreshTrusted() { _ = current }

    /// Lets a copy of the store say the same of the time as its manifest does.
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

    /// Observes the clocks and returns what observations have changed since the last call.
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
            // Another thread may have taken its readings later and come here first.
            let elapsed = monotonic > state.monotonic ? (monotonic - state.monotonic) / 1_000_000 : 0
            state.monotonic += elapsed * 1_000_000
            clock.raise(shown: shown.load(ordering: .relaxed))
            if let change = clock.observe(reading, elapsed: Int64(elapsed)) {
                if change.discardedMilliseconds != nil { corrections.add(1) }
                // Bounded: without a timer nobody takes them.
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
