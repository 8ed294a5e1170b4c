import ShaleBase

extension Namespace {
    /// Whether it exists: something was written to it, or its options were set, since it was last dropped.
    public var exists: Bool {
        get throws(StorageError) { try state.description() != nil }
    }

    /// Removes the namespace with all its entries and options; namespaces below it stay. O(1) however much it holds;
    /// durable on return; disk space follows in the background or by ``Store/purge(_:by:progress:)``. Scans that have begun
    /// fail with `.namespaceDropped`. Nothing happens when there is none.
    ///
    /// Of a namespace with encrypted values the keys are destroyed: no file holds them when this returns, unless the disk
    /// was full, and then from the next opening on. That part is O(namespaces of the store).
    public func drop() throws(StorageError) {
        try state.core.drop { () throws(StorageError) in try state.description().map { [$0] } ?? [] }
    }

    /// Removes the namespace and all below it, as ``drop()`` and as one step.
    public func dropSubtree() throws(StorageError) {
        try state.core.drop { () throws(StorageError) in
            _ = try state.name.checkedBytes()
            return state.core.descriptions(atAndBelow: state.name)
        }
    }

    /// Removes all entries and keeps the namespace and its options. O(1) however many there are; durable on return.
    /// Snapshots, scans and transactions that have begun still see them. Namespaces below it keep theirs.
    public func truncate() throws(StorageError) {
        try state.core.control { () throws(StorageError) in
            try state.description().map { [$0] } ?? []
        } _: { (ids) throws(StorageError) in
            try state.core.engine.truncate(ids)
        }
    }

    /// Removes all entries of the namespace and of all below it, as ``truncate()`` and as one step. All keep their options.
    public func truncateSubtree() throws(StorageError) {
        try state.core.control { () throws(StorageError) in
            _ = try state.name.checkedBytes()
            return state.core.descriptions(atAndBelow: state.name)
        } _: { (ids) throws(StorageError) in
            try state.core.engine.truncate(ids)
        }
    }

    /// What its writes have by default. The standard options when it does not exist.
    public var options: NamespaceOptions {
        get throws(StorageError) {
            try state.reading { (id) throws(StorageError) in try state.catalogueOptions(id).options } ?? .standard
        }
    }

    /// Stores other options, which later writes go by; entries that are there keep theirs. The namespace is made if
    /// need be. Durable on return. Throws `.invalidArgument` for a time to live that is not positive and for a purge policy
    /// whose limits are out of range. In a store that was opened without encryption, `.cipherMismatch` for other
    /// defaults of a namespace that holds encrypted values: what writes take from the options is authenticated.
    public func setOptions(_ options: NamespaceOptions) throws(StorageError) {
        let core = state.core
        try state.setOptions(
            try CatalogueOptions(options, version: core.options.appVersion, now: core.engine.wallMilliseconds))
        if options.purgePolicy.isAutomatic { try core.purgeScheduler.start(for: core) }
    }

    /// What is stored of the namespace, including dead versions that no compaction has met yet; `nil` when it does not exist.
    ///
    /// These are figures of files and memtables, not of what a reader sees: ``NamespaceStatistics`` says how far they may be
    /// off. ``count()`` is exact.
    ///
    /// - Complexity: O(segments). Nothing is read from the disk.
    public var statistics: NamespaceStatistics? {
        get throws(StorageError) {
            try state.reading { (id) throws(StorageError) in try state.core.engine.statistics(of: id) }
        }
    }
}
