#if Logging || Metrics || Tracing || ServiceLifecycle
    public import ShaleBase
    public import ShaleEngine
    import ShalePlatform

    /// The functions of the store that wait for the disk, observed, for `async` callers.
    ///
    /// They run where those of the store run, and are cancelled as those are. A cancelled operation has the outcome
    /// `cancelled`.
    extension ObservedStore {
        /// Makes every write that has returned durable.
        public nonisolated(nonsending) func sync() async throws(StorageError) {
            try await recorder.run(.sync) { () async throws(StorageError) in try await store.sync() }
        }

        /// Commits a batch of writes. `body` runs where the caller runs. Only a synced commit is observed.
        public nonisolated(nonsending) func write<R>(
            durability: Durability? = nil, _ body: (inout Store.Batch) throws(StorageError) -> R
        ) async throws(StorageError) -> R {
            guard isSynced(durability) else { return try await store.write(durability: durability, body) }
            return try await recorder.run(.write) { () async throws(StorageError) in
                try await store.write(durability: durability, body)
            }
        }

        /// Does the same for a `body` that throws errors of any type.
        public nonisolated(nonsending) func write<R>(
            durability: Durability? = nil, _ body: (inout Store.Batch) throws -> R
        ) async throws -> R {
            guard isSynced(durability) else { return try await store.write(durability: durability, body) }
            return try await recorder.run(.write) { try await store.write(durability: durability, body) }
        }

        /// Runs reads and writes as one transaction. `body` runs where the caller runs, inside the span.
        public nonisolated(nonsending) func transaction<R>(
            attempts: Int = 8, durability: Durability? = nil,
            _ body: (borrowing Store.Transaction) throws(StorageError) -> R
        ) async throws(StorageError) -> R {
            try await recorder.run(.transaction) { () async throws(StorageError) in
                try await store.transaction(attempts: attempts, durability: durability, body)
            }
        }

        /// Does the same for a `body` that throws errors of any type.
        public nonisolated(nonsending) func transaction<R>(
            attempts: Int = 8, durability: Durability? = nil, _ body: (borrowing Store.Transaction) throws -> R
        ) async throws -> R {
            try await recorder.run(.transaction) {
                try await store.transaction(attempts: attempts, durability: durability, body)
            }
        }

        /// Writes the memtables to segments.
        public nonisolated(nonsending) func flush() async throws(StorageError) {
            try await recorder.run(.flush) { () async throws(StorageError) in
                try await BlockingWork.run { (_) throws(StorageError) in try self.store.engine.flush() }
            }
        }

        /// Rewrites the tree, or its part in `scope`.
        @discardableResult
        public nonisolated(nonsending) func compact(
            _ scope: CompactionScope = .all, options: ManualCompactionOptions = ManualCompactionOptions(),
            progress: @escaping @Sendable (CompactionProgress) -> Void = { _ in }
        ) async throws(StorageError) -> CompactionReport {
            try await recorder.run(.compact) { () async throws(StorageError) in
                try await store.engine.compact(scope, options: options, progress: progress)
            }
        }

        /// Removes purgeable entries and frees their space.
        @discardableResult
        public nonisolated(nonsending) func purge(
            _ scope: PurgeScope = .all, by rule: PurgeRule = .everything,
            progress: @escaping @Sendable (PurgeProgress) -> Void = { _ in }
        ) async throws(StorageError) -> PurgeReport {
            try await recorder.run(.purge) { () async throws(StorageError) in
                try await store.purge(scope, by: rule, progress: progress)
            }
        }

        /// Copies the store into the directory `path`.
        public nonisolated(nonsending) func checkpoint(at path: String) async throws(StorageError) {
            try await recorder.run(.checkpoint) { () async throws(StorageError) in
                try await store.engine.checkpoint(at: path)
            }
        }
    }
#endif
