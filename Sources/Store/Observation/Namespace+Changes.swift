public import ShaleBase
import ShaleEngine

/// Observation: see ``Store/Changes``.
///
/// `capacity` is the number of changes that may wait for the reader. `since` is the sequence of the last change that an
/// earlier subscription delivered. If the store has changed since, the first element is a `.gap`, because older changes
/// are not kept. `reportsExpiry` also delivers entries that expire.
///
/// Errors: `.invalidArgument` (the name is too long, or the capacity is 0), `.closed`, `.ioFailure`; with
/// `reportsExpiry` also those of a scan.
extension Store.Namespace {
    /// Observes the namespace, without those below it. It need not exist yet.
    public func changes(
        capacity: Int = 1024, since: SequenceNumber? = nil, reportsExpiry: Bool = false
    ) throws(StorageError) -> Store.Changes {
        try changes(in: KeyRange.all, capacity: capacity, since: since, reportsExpiry: reportsExpiry)
    }

    /// Observes one key. Purges, truncations and drops of its namespace are delivered too, whether or not the key was
    /// affected.
    public func changes(
        forKey key: some StoreKey, capacity: Int = 1024, since: SequenceNumber? = nil, reportsExpiry: Bool = false
    ) throws(StorageError) -> Store.Changes {
        let key = try key.keyBytes
        let range = KeyRange(lower: .included(key), upper: .included(key))
        return try changes(in: range, capacity: capacity, since: since, reportsExpiry: reportsExpiry)
    }

    /// Observes a typed key, and purges, truncations and drops of its namespace. ``values(for:)`` also reads the value.
    public func changes<Value>(
        for key: Key<Value>, capacity: Int = 1024, since: SequenceNumber? = nil, reportsExpiry: Bool = false
    ) throws(StorageError) -> Store.Changes {
        try changes(forKey: key.name, capacity: capacity, since: since, reportsExpiry: reportsExpiry)
    }

    /// Observes the keys that start with `prefix`, and purges, truncations and drops of the namespace.
    public func changes(
        prefix: some StoreKey, capacity: Int = 1024, since: SequenceNumber? = nil, reportsExpiry: Bool = false
    ) throws(StorageError) -> Store.Changes {
        try changes(
            in: KeyRange.prefix(try prefix.keyBytes), capacity: capacity, since: since, reportsExpiry: reportsExpiry)
    }

    /// Observes the keys of a range, and purges, truncations and drops of the namespace.
    public func changes(
        in range: some KeyInterval, capacity: Int = 1024, since: SequenceNumber? = nil, reportsExpiry: Bool = false
    ) throws(StorageError) -> Store.Changes {
        let filter = ChangeFilter(.named(try state.name.checkedBytes()), keys: try range.keyRange)
        return try Store.Changes(state.core, filter, capacity, since: since, reportsExpiry: reportsExpiry)
    }

    /// Observes the namespace and all namespaces below it, including those created later.
    public func subtreeChanges(
        capacity: Int = 1024, since: SequenceNumber? = nil, reportsExpiry: Bool = false
    ) throws(StorageError) -> Store.Changes {
        let filter = ChangeFilter(.prefixed([try state.name.checkedBytes()]))
        return try Store.Changes(state.core, filter, capacity, since: since, reportsExpiry: reportsExpiry)
    }
}

extension Store.Space {
    /// Observes all namespaces of the space, including those created later. A space always belongs to one user:
    /// ``Store/userEvents`` reports when to observe another user's.
    public func changes(
        capacity: Int = 1024, since: SequenceNumber? = nil, reportsExpiry: Bool = false
    ) throws(StorageError) -> Store.Changes {
        let name = NamespaceName(owner: owner, components: [])
        return try Store.Changes(
            core, ChangeFilter(.prefixed([try name.checkedBytes()])), capacity, since: since,
            reportsExpiry: reportsExpiry)
    }
}

extension Store {
    /// Observes all namespaces of all users and the common ones, including those created later.
    public func changes(
        capacity: Int = 1024, since: SequenceNumber? = nil, reportsExpiry: Bool = false
    ) throws(StorageError) -> Store.Changes {
        try Store.Changes(
            core, ChangeFilter(.prefixed(NamespaceName.spaces)), capacity, since: since, reportsExpiry: reportsExpiry)
    }
}
