import ShaleBase
import ShaleManifest
import ShalePlatform
import Synchronization

/// The subscriptions, and the thread that delivers changes to them. The thread reads the ring, so a commit never waits
/// for a subscription, and its cost does not depend on their number.
///
/// Lock order: committer.lock → state → a subscription's lock, or that of its expiries. The thread takes the commit
/// lock only to fetch a gap in the ring and to remove ended subscriptions.
final class ChangeHub: Sendable {
    private struct State {
        var subscriptions: [ChangeSubscription] = []
        /// The names of the observed namespaces. A namespace may leave the catalogue before its last change is
        /// delivered.
        var names: [NamespaceID: [UInt8]] = [:]
        /// The subscriptions for a namespace's changes, cached at the namespace's first change.
        var routes: [NamespaceID: [ChangeSubscription]] = [:]
        var thread: WorkerThread?
        var hasStopped = false

        var observedMask: UInt64 { subscriptions.reduce(0) { $0 | $1.observedMask } }

        mutating func adopt(_ record: NamespaceRecord, _ subscription: ChangeSubscription) {
            guard subscription.filter.admits(name: record.name) else { return }
            names[record.id] = record.name
            subscription.observedMask |= 1 << UInt64(record.id.rawValue & 63)
            routes[record.id] = nil
        }

        mutating func route(_ namespace: NamespaceID) -> [ChangeSubscription] {
            if let known = routes[namespace] { return known }
            let name = names[namespace]
            let route = subscriptions.filter { name.map($0.filter.admits(name:)) ?? false }
            if name != nil { routes[namespace] = route }
            return route
        }
    }

    /// The number of changes that are delivered in one critical section of the state's lock.
    private static let stepCount = 128

    private let committer: Committer
    private let catalogue: Locked<Catalogue>
    private let clock: EngineClock
    private let state = Locked(State())
    private let isStopping = Atomic(false)
    private let hasEnded = Atomic(false)

    init(committer: Committer, catalogue: Locked<Catalogue>, clock: EngineClock) {
        self.committer = committer
        self.catalogue = catalogue
        self.clock = clock
    }

    // MARK: Subscriptions

    /// Returns a subscription to every change that `filter` admits and that becomes visible from now on.
    func subscribe(
        _ filter: ChangeFilter, capacity: Int, _ expiries: ObservedExpiries?
    ) throws(StorageError) -> ChangeSubscription {
        try startThread()
        return try committer.lock.withLock { () throws(StorageError) in
            if let error = committer.terminalError, error.code == .closed { throw error }
            committer.changes.prepare()
            let start = committer.visible.load(ordering: .relaxed)
            let subscription = ChangeSubscription(
                filter, capacity: capacity, start: start, expiries: expiries, hub: self)
            let known = catalogue.withLock { $0 }
            let observedMask = state.withLock { state in
                state.subscriptions.append(subscription)
                if case .named(let name) = filter.namespaces {
                    if let record = known.record(named: name) { state.adopt(record, subscription) }
                } else {
                    for record in known.records.values { state.adopt(record, subscription) }
                }
                return state.observedMask
            }
            committer.observedMask.store(observedMask, ordering: .relaxed)
            return subscription
        }
    }

    /// Adds a new namespace to the subscriptions that admit it. Under `committer.lock`, before any write to the
    /// namespace.
    func adopt(_ record: NamespaceRecord) {
        let observedMask = state.withLock { state in
            for subscription in state.subscriptions { state.adopt(record, subscription) }
            return state.observedMask
        }
        committer.observedMask.store(observedMask, ordering: .relaxed)
    }

    /// Makes the thread remove ended subscriptions.
    func sweepSoon() {
        hasEnded.store(true, ordering: .releasing)
        committer.changes.wake()
    }

    /// Makes the thread look at the expiries of a new subscription: it may sleep without a limit.
    func lookSoon() { committer.changes.wake() }

    private func sweep() {
        guard hasEnded.exchange(false, ordering: .acquiringAndReleasing) else { return }
        let gone = committer.lock.withLock {
            let (gone, observedMask) = state.withLock { state in
                let gone = state.subscriptions.filter(\.isOver)
                state.subscriptions.removeAll { subscription in gone.contains { $0 === subscription } }
                state.routes.removeAll()
                if state.subscriptions.isEmpty { state.names.removeAll() }
                return (gone, state.observedMask)
            }
            committer.observedMask.store(observedMask, ordering: .relaxed)
            return gone
        }
        // Released outside the locks.
        withExtendedLifetime(gone) {}
    }

    // MARK: The thread

    private func startThread() throws(StorageError) {
        try state.withLock { (state) throws(StorageError) in
            if state.hasStopped { throw EngineCore.closedError }
            guard state.thread == nil else { return }
            do throws(IOFailure) {
                state.thread = try WorkerThread.start(name: "shale-changes") { [self] in run() }
            } catch {
                throw error.storageError
            }
        }
    }

    /// Delivers the remaining changes and ends all subscriptions. Call it when no more commits can follow.
    func stop() {
        let thread = state.withLock { state in
            state.hasStopped = true
            defer { state.thread = nil }
            return state.thread
        }
        guard let thread else { return }
        isStopping.store(true, ordering: .releasing)
        committer.changes.wake()
        thread.join()
    }

    private func run() {
        while true {
            let isLast = isStopping.load(ordering: .acquiring)
            // Read before the changes are: an entry that was set again before this moment is known to be.
            let now = clock.now
            drain()
            if committer.changes.hasGap { deliverGap() }
            sweep()
            if isLast { break }
            committer.changes.waitForChanges(atMost: reportExpiries(at: now)) {
                isStopping.load(ordering: .acquiring) || hasEnded.load(ordering: .acquiring)
            }
        }
        let rest = state.withLock { state in
            let all = state.subscriptions
            state = State()
            state.hasStopped = true
            return all
        }
        for subscription in rest { for wakeup in subscription.finish() { wakeup.run() } }
    }

    private func drain() {
        while true {
            var wakeups: [ChangeSubscription.Wakeup] = []
            let isDone = step(&wakeups)
            for wakeup in wakeups { wakeup.run() }
            if isDone { return }
        }
    }

    /// Delivers at most ``stepCount`` changes. True if the ring has no more.
    private func step(_ wakeups: inout [ChangeSubscription.Wakeup]) -> Bool {
        state.withLock { state in
            committer.changes.read(limit: ChangeHub.stepCount) { record in
                ChangeHub.deliver(record, &state, &wakeups)
            } < ChangeHub.stepCount
        }
    }

    private static func deliver(
        _ record: ChangeRing.Record, _ state: inout State, _ wakeups: inout [ChangeSubscription.Wakeup]
    ) {
        let route = state.route(record.namespace)
        guard !route.isEmpty, let name = state.names[record.namespace] else { return }
        let change = ObservedChange(
            sequence: record.sequence, kind: record.kind, namespace: record.namespace, name: name,
            key: record.key.array())
        for subscription in route where record.sequence > subscription.start && subscription.filter.admits(change) {
            subscription.expiries?.note(change, record.expiry)
            if let wakeup = subscription.offer(change) { wakeups.append(wakeup) }
        }
        if record.kind == .dropped {
            state.names[record.namespace] = nil
            state.routes[record.namespace] = nil
        }
    }

    /// Reports the entries that have expired by `now`, after all changes before that moment were delivered.
    ///
    /// - Returns: The nanoseconds after which to look again; `nil` while no observed entry has an expiry.
    private func reportExpiries(at now: Int64) -> UInt64? {
        let observed = state.withLock { $0.subscriptions.filter { $0.expiries != nil } }
        var next: UInt64?
        for subscription in observed {
            guard let outcome = subscription.expiries?.takeDue(at: now, { clock.now }) else { continue }
            var wakeups: [ChangeSubscription.Wakeup?] = []
            if outcome.isIncomplete { wakeups.append(subscription.offerExpiryGap()) }
            for key in outcome.keys {
                guard let name = state.withLock({ $0.names[key.namespace] }) else { continue }
                wakeups.append(subscription.offerExpiry(of: key, in: name))
            }
            for wakeup in wakeups { wakeup?.run() }
            if let wait = outcome.nanosecondsToNext { next = min(next ?? .max, wait) }
        }
        return next
    }

    private func deliverGap() {
        // Most changes before the first dropped one are delivered without the commit lock.
        drain()
        var wakeups: [ChangeSubscription.Wakeup] = []
        let gap = committer.lock.withLock {
            // All changes before the gap are delivered before the gap:
            // 1. The writer announces a gap, and then publishes the changes of the same batch that precede the gap.
            // 2. The thread that runs this may have seen the announcement between the two.
            // 3. The writer does both under this lock, so that here the ring has them all.
            if !PlantedBug.isActive(.deliverGapEarly) { while !step(&wakeups) {} }
            // The dropped changes may include the drop of a namespace.
            let known = catalogue.withLock { $0 }
            state.withLock { state in state.names = state.names.filter { known.records[$0.key] != nil } }
            return committer.changes.takeLost()
        }
        guard let gap else { return }
        let all = state.withLock(\.subscriptions)
        for subscription in all {
            subscription.expiries?.forget()
            if let wakeup = subscription.offerGap(from: gap.from, through: gap.through) { wakeups.append(wakeup) }
        }
        for wakeup in wakeups { wakeup.run() }
    }
}
