public import ShaleBase

/// Observation: see ``StoreChanges``. `capacity` is how many changes may wait; `since` the sequence of the last change that
/// an earlier subscription told: if the store has gone on since, the first element is a `.gap` that says so, because older
/// changes are not kept. Errors: `.invalidArgument` (a name that is too long, no capacity), `.closed`, `.ioFailure`.
extension Namespace {
    /// The changes of the namespace; not of those below it. It need not exist yet.
    public func changes(
        capacity: Int = 1024, since: SequenceNumber? = nil
    ) throws(StorageError) -> StoreChanges {
        try changes(in: KeyRange.all, capacity: capacity, since: since)
    }

    /// The changes of one key, and those of the namespace that may concern it.
    public func changes(
        forKey key: some StoreKey, capacity: Int = 1024, since: SequenceNumber? = nil
    ) throws(StorageError) -> StoreChanges {
        let key = try key.keyBytes
        let range = KeyRange(lower: .included(key), upper: .included(key))
        return try changes(in: range, capacity: capacity, since: since)
    }

    /// The changes of a typed key, and those of the namespace that may concern it. ``values(for:)`` reads as well.
    public func changes<Value>(
        for key: Key<Value>, capacity: Int = 1024, since: SequenceNumber? = nil
    ) throws(StorageError) -> StoreChanges {
        try changes(forKey: key.name, capacity: capacity, since: since)
    }

    /// The changes of the keys that start with `prefix`, and those of the namespace that may concern them.
    public func changes(
        prefix: some StoreKey, capacity: Int = 1024, since: SequenceNumber? = nil
    ) throws(StorageError) -> StoreChanges {
        try changes(in: KeyRange.prefix(try prefix.keyBytes), capacity: capacity, since: since)
    }

    /// The changes of the keys of a range, and those of the namespace that may concern them.
    public func changes(
        in range: some KeyInterval, capacity: Int = 1024, since: SequenceNumber? = nil
    ) throws(StorageError) -> StoreChanges {
        let filter = ChangeFilter(.named(try state.name.checkedBytes()), keys: try range.keyRange)
        return try StoreChanges(state.core, filter, capacity, since: since)
    }

    /// The changes of the namespace and of all below it, also of those that are made later.
    public func subtreeChanges(
        capacity: Int = 1024, since: SequenceNumber? = nil
    ) throws(StorageError) -> StoreChanges {
        let filter = ChangeFilter(.prefixed([try state.name.checkedBytes()]))
        return try StoreChanges(state.core, filter, capacity, since: since)
    }

    /// The value of a typed key: the one that it has now, and then the newest whenever it has changed.
    public func values<Value>(for key: Key<Value>) throws(StorageError) -> StoreValues<Value> {
        StoreValues(self, key, try changes(for: key, capacity: 1))
    }
}

extension Space {
    /// The changes of all namespaces of the space, also of those that are made later. A space is one user's for good:
    /// ``Store/userEvents`` tells when to observe another's.
    public func changes(capacity: Int = 1024, since: SequenceNumber? = nil) throws(StorageError) -> StoreChanges {
        let name = NamespaceName(owner: owner, components: [])
        return try StoreChanges(
            core, ChangeFilter(.prefixed([try name.checkedBytes()])), capacity, since: since)
    }
}
