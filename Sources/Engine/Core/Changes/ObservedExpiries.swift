import ShaleBase
import ShaleManifest
import ShalePlatform

/// The expiries that one subscription has to report: ShaleEngine.docc, "How changes are observed".
///
/// The hub's thread follows the changes in their order. What it can't know from them, it reads: the entries at the
/// start, after a gap, and beyond the horizon of the schedule. Thread-safe.
final class ObservedExpiries: Sendable {
    typealias Found = (ExpirySchedule.Key, ChangeRing.Expiry) -> Void
    /// Reads the observed entries and passes those that have an expiry.
    typealias Read = @Sendable (Found) throws(StorageError) -> Void

    /// The result of one look.
    struct Outcome {
        var keys: [ExpirySchedule.Key] = []
        /// True if entries may have expired of which nothing is known.
        var isIncomplete = false
        /// The nanoseconds until the next look; `nil` if there is nothing to wait for.
        var nanosecondsToNext: UInt64?
    }

    private struct State {
        var schedule: ExpirySchedule
        /// The keys that changed while the subscriber's thread reads the entries at the start; afterwards `nil`.
        var changed: Set<ExpirySchedule.Key>? = []
        /// True if changes are missing, so that the entries have to be read again.
        var hasLost = false
        var lastLook: UInt64 = 0

        mutating func lose() {
            hasLost = true
            // The reading at the start may be older than the missing changes.
            changed = nil
        }

        /// Applies a change of all keys of a namespace.
        mutating func remove(in namespace: NamespaceID, onlyPurgeable: Bool) {
            schedule.remove(in: namespace, onlyPurgeable: onlyPurgeable)
            // The reading at the start may be older, and the keys that the change concerns are not known.
            if changed != nil { lose() }
        }
    }

    /// The limits of the time between two looks. The wall clock may be set, so a look follows at least once a second.
    /// A look that finds something passes over all entries, so it is not repeated at once.
    private static let shortestWait: UInt64 = 50_000_000
    private static let longestWait: UInt64 = 1_000_000_000
    private static let changedKeysMax = 1 << 16

    private let read: Read
    private let byteLimit: Int
    private let state: Locked<State>

    init(byteLimit: Int = 4 << 20, read: @escaping Read) {
        self.read = read
        self.byteLimit = byteLimit
        state = Locked(State(schedule: ExpirySchedule(byteLimit: byteLimit)))
    }

    /// Reads the entries. The subscription must be known to the hub: a change that is written meanwhile counts, and not
    /// what was read.
    func begin() throws(StorageError) {
        let found = try readAll()
        state.withLock { state in
            if let changed = state.changed { state.schedule.merge(found, except: changed) }
            state.changed = nil
        }
    }

    func note(_ change: ObservedChange, _ expiry: ChangeRing.Expiry?) {
        state.withLock { state in
            switch change.kind {
            case .purged: state.remove(in: change.namespace, onlyPurgeable: true)
            case .truncated, .dropped: state.remove(in: change.namespace, onlyPurgeable: false)
            case .set, .removed, .expired:
                let key = ExpirySchedule.Key(namespace: change.namespace, bytes: change.key)
                state.schedule.set(key, expiry)
                state.changed?.insert(key)
                if state.changed?.count == ObservedExpiries.changedKeysMax { state.lose() }
            }
        }
    }

    /// Changes are missing: the entries have to be read again.
    func forget() { state.withLock { $0.lose() } }

    /// Returns the entries that have expired by `now`. Only the hub's thread calls it, after it has delivered all
    /// changes that were written before `now`. `clock` returns the present time.
    func takeDue(at now: Int64, _ clock: () -> Int64) -> Outcome {
        var outcome = Outcome()
        let time = SystemTime().monotonicNanoseconds
        let needsRead = state.withLock { state in
            let sinceLook = time &- state.lastLook
            guard sinceLook >= ObservedExpiries.shortestWait else {
                outcome.nanosecondsToNext = ObservedExpiries.shortestWait - sinceLook
                return false
            }
            state.lastLook = time
            outcome.keys = state.schedule.takeDue(at: now)
            outcome.isIncomplete = state.hasLost
            guard let horizon = state.schedule.horizon else { return state.hasLost }
            return state.hasLost || horizon <= now || state.schedule.isEmpty
        }
        if needsRead { readAgain(&outcome, clock) }
        if outcome.nanosecondsToNext == nil {
            outcome.nanosecondsToNext = state.withLock { $0.schedule.next }.map {
                ObservedExpiries.wait(from: now, to: $0)
            }
        }
        return outcome
    }

    /// Returns the nanoseconds until the next look, if the next entry expires at `next`.
    private static func wait(from now: Int64, to next: Int64) -> UInt64 {
        let (milliseconds, isBeyond) = next.subtractingReportingOverflow(now)
        if isBeyond || milliseconds >= longestWait / 1_000_000 { return longestWait }
        return max(UInt64(max(0, milliseconds)) * 1_000_000, shortestWait)
    }

    /// Reads the entries. What is read may be newer than the changes delivered so far. They follow in their order, and
    /// nothing is reported before they have been delivered.
    private func readAgain(_ outcome: inout Outcome, _ clock: () -> Int64) {
        let horizon = state.withLock { $0.schedule.horizon }
        do throws(StorageError) {
            let found = try readAll()
            // An entry that expired before the end of the reading was not found, and the schedule did not have it.
            if let horizon, horizon <= clock() { outcome.isIncomplete = true }
            state.withLock { state in
                state.schedule = found
                state.hasLost = false
            }
        } catch {
            // The reader of the subscription meets the same error when it reads what the gap tells it to.
            state.withLock { $0.lose() }
            outcome.isIncomplete = true
            outcome.nanosecondsToNext = ObservedExpiries.longestWait
        }
    }

    private func readAll() throws(StorageError) -> ExpirySchedule {
        var schedule = ExpirySchedule(byteLimit: byteLimit)
        try read { schedule.set($0, $1) }
        return schedule
    }
}

extension EngineCore {
    /// Passes the entries that `filter` admits and that have an expiry. O(entries).
    func readExpiries(_ filter: ChangeFilter, _ found: ObservedExpiries.Found) throws(StorageError) {
        let records = catalogue.withLock { Array($0.records.values) }
        for record in records where filter.admits(name: record.name) {
            do throws(StorageError) {
                var cursor = Engine.Cursor(
                    try ScanCore.begin(self, filter.keys, in: record.id, .forward, nil, readsLargeValues: false))
                while try cursor.next() {
                    guard let expiry = cursor.info.expiresAtMilliseconds else { continue }
                    found(
                        ExpirySchedule.Key(namespace: record.id, bytes: cursor.key.array()),
                        ChangeRing.Expiry(milliseconds: expiry, isPurgeable: cursor.info.isPurgeable))
                }
            } catch {
                // Its drop is a change of its own.
                guard error.code == .namespaceDropped else { throw error }
            }
        }
    }
}
