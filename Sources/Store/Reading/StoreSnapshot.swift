import ShaleBase
import ShaleEngine

extension Store {
    /// The whole store at one moment: all namespaces, for as many reads as wanted.
    ///
    /// ```swift
    /// let snapshot = try store.snapshot()
    /// let balance = try snapshot[accounts].int(forKey: "ada", default: 0)
    /// for key in try snapshot[orders].keys.array(limit: 100) { print(key) }
    /// ```
    /// `snapshot[namespace]` has all reads of a ``NamespaceReader``. They see every write that had returned when the
    /// snapshot was taken, every batch and transaction as a whole, and nothing later.
    ///
    /// - **What it holds.** The versions of its moment stay on disk and in memory as long as a copy of the snapshot,
    ///   one of its readers or a scan of one exists. Keep it for seconds or minutes, not for days.
    ///   ``Engine/Statistics/oldestSnapshotAge`` shows the oldest.
    /// - **How it ends.** With its last copy. There is nothing to close.
    /// - **Purge and truncate** don't change what it reads. Neither do writes, expiry and compactions: entries that had
    ///   not expired at its moment stay readable.
    /// - **Drop** removes the data at once: reads of a namespace that was dropped since throw `.namespaceDropped`, even
    ///   if one of the same name was created again. A namespace that did not exist at the moment reads as empty.
    /// - **Close** ends it: reads throw `.closed`.
    ///
    /// Encrypted values are decrypted with the keys of the present. A snapshot may be used from any thread.
    public struct Snapshot: Sendable {
        private let core: StoreCore
        private let moment: Engine.Snapshot
        private let namespaces: SnapshotNamespaces

        init(_ core: StoreCore) {
            self.core = core
            (moment, namespaces) = core.engine.snapshotWithNamespaces()
        }

        /// The snapshot sees every change up to this sequence, and no later one. See ``Store/Change/sequence``.
        public var sequence: SequenceNumber { moment.sequence }

        /// Returns a reader of a namespace at this moment.
        ///
        /// If the namespace belongs to another store, its reads throw `.invalidArgument`.
        public subscript(namespace: Store.Namespace) -> Reader {
            let id = Result { () throws(StorageError) -> NamespaceID? in
                try core.requireOwn(namespace)
                return namespaces.id(named: try namespace.state.nameBytes.get())
            }
            return Reader(source: Store.Namespace.Source(namespace.state, .snapshot(moment, id)))
        }

        /// A namespace at the moment of a snapshot. It keeps the snapshot alive.
        public struct Reader: NamespaceReader {
            public let source: Store.Namespace.Source

            fileprivate init(source: Store.Namespace.Source) { self.source = source }
        }
    }

    /// Returns the store as it is now, for several reads of one moment. See ``Snapshot``.
    ///
    /// - Throws: `.closed`.
    /// - Complexity: O(1); no data is copied.
    public func snapshot() throws(StorageError) -> Snapshot {
        try core.requireOpen()
        return Snapshot(core)
    }
}
