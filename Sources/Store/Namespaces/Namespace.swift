import ShaleBase

extension Store {
    /// A namespace: a keyspace of its own in a space, possibly below other namespaces. Equal keys in two namespaces are
    /// different entries.
    ///
    /// A `Store.Namespace` denotes a path, not its content. If the namespace does not exist, it reads as empty and the
    /// first write creates it. After ``drop()`` the next write creates it again. Copying costs one reference count, and
    /// all values for the same path share cached state. All operations may be called from any thread.
    public struct Namespace: Sendable {
        private let handle: NamespaceHandle

        init(core: StoreCore, name: NamespaceName) { handle = NamespaceHandle(core: core, name: name) }

        var state: NamespaceState { handle.state }

        /// The names from the top of the space down to this namespace, its own name last.
        public var path: [String] { state.name.components }

        /// The last component of ``path``.
        public var name: String { path.last ?? "" }

        /// The space that contains the namespace.
        public var space: Store.Space { Store.Space(core: state.core, owner: state.name.owner) }

        /// Returns the namespace `name` below this one. It is a keyspace of its own; this namespace need not exist for
        /// it.
        public func child(_ name: String) -> Store.Namespace {
            Store.Namespace(core: state.core, name: state.name.appending(name))
        }

        /// The names of the namespaces directly below that exist or have existing descendants, in bytewise order of
        /// their UTF-8.
        ///
        /// - Complexity: O(namespaces of the store).
        public var childNames: [String] { state.core.names(inside: state.name) }
    }
}

extension Store.Namespace: Hashable {
    /// Returns true for the same path in the same open store.
    public static func == (a: Store.Namespace, b: Store.Namespace) -> Bool {
        a.state === b.state || (a.state.core === b.state.core && a.state.name == b.state.name)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(state.name) }
}

extension Store.Namespace {
    /// True if the namespace exists: since it was last dropped, something was written to it or its options were set.
    public var exists: Bool {
        get throws(StorageError) { try state.description() != nil }
    }

    /// Removes the namespace with all its entries and options; namespaces below it stay.
    ///
    /// The removal is durable on return. Background work or ``Store/purge(_:by:progress:)`` frees the disk space. Scans
    /// that have begun fail with `.namespaceDropped`. Does nothing if the namespace does not exist.
    ///
    /// The data keys of a namespace with encrypted values are destroyed: no file holds them when this returns. If the
    /// disk is full, files may hold them until the next opening.
    ///
    /// - Complexity: O(1) in the entries; O(namespaces of the store) if the namespace has data keys.
    public func drop() throws(StorageError) {
        try state.core.drop { () throws(StorageError) in try state.description().map { [$0] } ?? [] }
    }

    /// Removes the namespace and all namespaces below it in one step. See ``drop()``.
    public func dropSubtree() throws(StorageError) {
        try state.core.drop { () throws(StorageError) in
            _ = try state.name.checkedBytes()
            return state.core.descriptions(atAndBelow: state.name)
        }
    }

    /// Removes all entries and keeps the namespace and its options. Namespaces below it keep their entries.
    ///
    /// The removal is durable on return. Snapshots, scans and transactions that have begun still see the entries.
    ///
    /// - Complexity: O(1) in the entries.
    public func truncate() throws(StorageError) {
        try state.core.control { () throws(StorageError) in
            try state.description().map { [$0] } ?? []
        } _: { (ids) throws(StorageError) in
            try state.core.engine.truncate(ids)
        }
    }

    /// Removes all entries of the namespace and of all namespaces below it in one step. All keep their options. See
    /// ``truncate()``.
    public func truncateSubtree() throws(StorageError) {
        try state.core.control { () throws(StorageError) in
            _ = try state.name.checkedBytes()
            return state.core.descriptions(atAndBelow: state.name)
        } _: { (ids) throws(StorageError) in
            try state.core.engine.truncate(ids)
        }
    }

    /// The options of the namespace; ``NamespaceOptions/standard`` if it does not exist.
    public var options: NamespaceOptions {
        get throws(StorageError) {
            try state.reading { (id) throws(StorageError) in try state.catalogueOptions(id).options } ?? .standard
        }
    }

    /// Replaces the options of the namespace and creates it if it does not exist.
    ///
    /// Later writes use the new options; stored entries keep theirs. The change is durable on return.
    ///
    /// - Throws: `.invalidArgument` for a time to live that is not positive, or a purge policy with limits out of
    ///   range. `.cipherMismatch` if the namespace has data keys, the new options change a default for writes, and the
    ///   store was opened without encryption. The data keys authenticate these defaults.
    public func setOptions(_ options: NamespaceOptions) throws(StorageError) {
        let core = state.core
        try state.setOptions(
            try CatalogueOptions(options, version: core.options.appVersion, now: core.engine.wallMilliseconds))
        if options.purgePolicy.isAutomatic { try core.purgeScheduler.start(for: core) }
    }

    /// The figures of what is stored for the namespace; `nil` if it does not exist.
    ///
    /// They count files and memtables, including dead versions that compaction has not removed yet, not what a reader
    /// sees. ``NamespaceStatistics`` documents the possible deviation; ``NamespaceReader/count()`` is exact.
    ///
    /// - Complexity: O(segments), without reading from disk.
    public var statistics: NamespaceStatistics? {
        get throws(StorageError) {
            try state.reading { (id) throws(StorageError) in try state.core.engine.statistics(of: id) }
        }
    }
}
