#if Logging || Metrics || Tracing || ServiceLifecycle
    public import ShaleBase
    public import ShaleEngine
    import ShalePlatform

    /// The functions of the store that wait for the disk, observed.
    extension ObservedStore {
        /// Makes every write that has returned durable. See `Store.sync()`.
        public func sync() throws(StorageError) {
            try recorder.run(.sync) { () throws(StorageError) in try store.sync() }
        }

        /// Commits a batch of writes. See `Store.write(durability:_:)`.
        ///
        /// Only a synced commit is observed; a buffered one does not wait.
        public func write<R>(
            durability: Durability? = nil, _ body: (inout Store.Batch) throws(StorageError) -> R
        ) throws(StorageError) -> R {
            guard isSynced(durability) else { return try store.write(durability: durability, body) }
            return try recorder.run(.write) { () throws(StorageError) in
                try store.write(durability: durability, body)
            }
        }

        /// Does the same for a `body` that throws errors of any type.
        public func write<R>(
            durability: Durability? = nil, _ body: (inout Store.Batch) throws -> R
        ) throws -> R {
            guard isSynced(durability) else { return try store.write(durability: durability, body) }
            return try recorder.run(.write) { try store.write(durability: durability, body) }
        }

        /// Runs reads and writes as one transaction. See `Store.transaction(attempts:durability:_:)`.
        ///
        /// One span covers all attempts.
        public func transaction<R>(
            attempts: Int = 8, durability: Durability? = nil,
            _ body: (borrowing Store.Transaction) throws(StorageError) -> R
        ) throws(StorageError) -> R {
            try recorder.run(.transaction) { () throws(StorageError) in
                try store.transaction(attempts: attempts, durability: durability, body)
            }
        }

        /// Does the same for a `body` that throws errors of any type.
        public func transaction<R>(
            attempts: Int = 8, durability: Durability? = nil, _ body: (borrowing Store.Transaction) throws -> R
        ) throws -> R {
            try recorder.run(.transaction) {
                try store.transaction(attempts: attempts, durability: durability, body)
            }
        }

        /// Writes the memtables to segments. See `Engine.flush()`.
        public func flush() throws(StorageError) {
            try recorder.run(.flush) { () throws(StorageError) in try store.engine.flush() }
        }

        /// Rewrites the tree, or its part in `scope`. See `Engine.compact(_:options:progress:)`.
        @discardableResult
        public func compact(
            _ scope: CompactionScope = .all, options: ManualCompactionOptions = ManualCompactionOptions(),
            progress: @escaping (CompactionProgress) throws(StorageError) -> Void = { _ in }
        ) throws(StorageError) -> CompactionReport {
            try recorder.run(.compact) { () throws(StorageError) in
                try store.engine.compact(scope, options: options, progress: progress)
            }
        }

        /// Removes purgeable entries and frees their space. See `Store.purge(_:by:progress:)`.
        @discardableResult
        public func purge(
            _ scope: PurgeScope = .all, by rule: PurgeRule = .everything,
            progress: @escaping (PurgeProgress) throws(StorageError) -> Void = { _ in }
        ) throws(StorageError) -> PurgeReport {
            try recorder.run(.purge) { () throws(StorageError) in
                try store.purge(scope, by: rule, progress: progress)
            }
        }

        /// Copies the store into the directory `path`. See `Engine.checkpoint(at:)`.
        public func checkpoint(at path: String) throws(StorageError) {
            try recorder.run(.checkpoint) { () throws(StorageError) in try store.engine.checkpoint(at: path) }
        }

        /// True if a commit waits for a sync.
        func isSynced(_ durability: Durability?) -> Bool {
            (durability ?? store.options.engine.durability) == .synced
        }
    }
#endif
