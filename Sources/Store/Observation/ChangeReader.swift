import ShaleBase
import ShaleEngine
import ShalePlatform

/// Translates a subscription of the engine into changes of the store. Ends with its last reference. Thread-safe.
final class ChangeReader: Sendable {
    private let core: StoreCore
    private let subscription: ChangeSubscription
    /// The namespaces of the ids that the engine reports.
    private let namespaces = Locked<[NamespaceID: Store.Namespace]>([:])
    /// The gap between the sequence that the caller knew and the start. Delivered first.
    private let missed: Locked<Store.Change?>

    init(
        _ core: StoreCore, _ filter: ChangeFilter, _ capacity: Int, since: SequenceNumber?, reportsExpiry: Bool
    ) throws(StorageError) {
        guard capacity > 0 else { throw .invalid("a subscription needs a capacity of at least 1 capacity=\(capacity)") }
        try core.requireOpen()
        self.core = core
        let subscription = try core.engine.subscribe(
            to: filter, capacity: capacity, reportsExpiry: reportsExpiry)
        self.subscription = subscription
        missed = Locked(ChangeReader.missed(since, subscription.start))
    }

    deinit { subscription.end() }

    /// Returns the gap between `since` and the start; `nil` if nothing is missing. A `since` above the start comes from
    /// another store, or from writes that a power loss removed. The missed changes are then unknown, and the gap starts
    /// at 1.
    private static func missed(_ since: SequenceNumber?, _ start: SequenceNumber) -> Store.Change? {
        guard let since, since != start else { return nil }
        return .gap(from: since < start ? since + 1 : 1, to: start)
    }

    var start: SequenceNumber { subscription.start }

    func end() { subscription.end() }

    /// Returns the next change if one is waiting.
    func poll() -> Store.Change? { takeMissed() ?? convertNext { subscription.poll() } }

    func next(waiting limit: Duration) -> Store.Change? {
        let (nanoseconds, isLong) = UInt64(max(0, limit.wholeMilliseconds))
            .multipliedReportingOverflow(by: 1_000_000)
        return takeMissed() ?? convertNext { subscription.next(nanoseconds: isLong ? .max : nanoseconds) }
    }

    func next(isolation: isolated (any Actor)?) async -> Store.Change? {
        if let missed = takeMissed() { return missed }
        while let event = await subscription.next(isolation: isolation) {
            if let change = change(event) { return change }
        }
        return nil
    }

    private func convertNext(_ next: () -> ChangeEvent?) -> Store.Change? {
        while let event = next() { if let change = change(event) { return change } }
        return nil
    }

    private func takeMissed() -> Store.Change? {
        missed.withLock { missed in
            defer { missed = nil }
            return missed
        }
    }

    /// Returns `nil` for namespaces created through the raw engine, whose names are not valid names of the store.
    private func change(_ event: ChangeEvent) -> Store.Change? {
        switch event {
        case .gap(let from, let through): return .gap(from: from, to: through)
        case .change(let change):
            let sequence = change.sequence
            guard let namespace = namespace(change) else { return nil }
            switch change.kind {
            case .set: return .set(EntryKey(change.key), in: namespace, sequence: sequence)
            case .removed: return .removed(EntryKey(change.key), in: namespace, sequence: sequence)
            case .expired: return .expired(EntryKey(change.key), in: namespace, sequence: sequence)
            case .purged: return .purged(namespace, sequence: sequence)
            case .truncated: return .truncated(namespace, sequence: sequence)
            case .dropped: return .dropped(namespace, sequence: sequence)
            }
        }
    }

    private func namespace(_ change: ObservedChange) -> Store.Namespace? {
        namespaces.withLock { known in
            if change.kind != .dropped, let namespace = known[change.namespace] { return namespace }
            guard let name = NamespaceName(bytes: change.name) else { return nil }
            let namespace = Store.Namespace(core: core, name: name)
            known[change.namespace] = change.kind == .dropped ? nil : namespace
            return namespace
        }
    }
}
