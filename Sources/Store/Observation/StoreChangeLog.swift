public import ShaleBase
public import ShaleEngine

extension Store {
    /// Returns the changes after `sequence`, read from the store's files. The store may be open for writing, or
    /// read-only beside a writer in another process, whose changes ``changes(capacity:since:reportsExpiry:)`` does not
    /// report.
    ///
    /// ```swift
    /// for try await batch in try reader.changeLog(after: processed) {
    ///     let reader = try await reader.refreshed()
    ///     if batch.isGap { try readAll(reader) }
    ///     for change in batch.changes { try process(change, change.namespace(in: reader)) }
    ///     try save(batch.sequences.upperBound)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - sequence: The last sequence that the caller has processed; `nil` for that of this store's state, so that the
    ///     state and the changes together miss nothing.
    ///   - pollInterval: The time between two looks at the files while there is nothing new; at least 1 ms.
    ///   - clock: The clock that measures the interval.
    /// - Complexity: O(size of the first log that is needed).
    /// - Throws: `.invalidArgument`, `.closed`, and the errors of reading manifest and logs.
    public func changeLog(
        after sequence: SequenceNumber? = nil, pollInterval: Duration = .milliseconds(100),
        clock: any Clock<Duration> = ContinuousClock()
    ) throws(StorageError) -> ChangeLog {
        try core.requireOpen()
        return ChangeLog(try core.engine.changeLog(after: sequence, pollInterval: pollInterval, clock: clock))
    }

    /// The changes of a store as ``Engine/ChangeLog`` delivers them, with the paths of namespaces: of all users and the
    /// common space. Namespaces that the store keeps for itself are left out, and so are those that an application made
    /// through the raw engine, so a batch may have no changes.
    ///
    /// Keys are not encrypted, so a change needs no master key. A change does not hold the value: read it from
    /// ``Store/refreshed()``, which finds this value or a newer one, for which another change follows. A change of a
    /// data key writes values again, and each is delivered.
    ///
    /// Ends with `.closed` when the store that began it is closed, and with `nil` when its task is cancelled.
    public struct ChangeLog: AsyncSequence, Sendable {
        public typealias Element = ChangeBatch
        public typealias Failure = StorageError

        private let changes: Engine.ChangeLog

        init(_ changes: Engine.ChangeLog) { self.changes = changes }

        /// Returns the next batch, or `nil` if there is none yet. See ``Engine/ChangeLog/nextAvailable()``.
        public func nextAvailable() throws(StorageError) -> ChangeBatch? {
            try changes.nextAvailable().map { ChangeBatch($0) }
        }

        /// Ends the sequence and releases the store's files.
        public func cancel() { changes.cancel() }

        public func makeAsyncIterator() -> Iterator { Iterator(changes: changes.makeAsyncIterator()) }

        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var changes: Engine.ChangeLog.Iterator

            /// Returns the next batch. Sleeps while there is none; `nil` once the task is cancelled.
            public mutating func next(
                isolation: isolated (any Actor)? = #isolation
            ) async throws(StorageError) -> ChangeBatch? {
                try await changes.next(isolation: isolation).map { ChangeBatch($0) }
            }
        }
    }
}

extension Store {
    /// The changes that became visible in one step. See ``ChangeLog``.
    public struct ChangeBatch: Sendable, Hashable {
        /// The sequences of the changes. The upper bound is the sequence to continue from.
        public let sequences: ClosedRange<SequenceNumber>
        /// In the order of their sequences. Empty for a gap.
        public let changes: [LoggedChange]
        /// True if changes with these sequences may be missing, because what recorded them is deleted. Read the state
        /// of a refreshed store in their place.
        public let isGap: Bool

        init(_ batch: Engine.ChangeBatch) {
            sequences = batch.sequences
            changes = batch.changes.compactMap { LoggedChange($0) }
            isGap = batch.isGap
        }
    }

    /// One change in a ``ChangeBatch``.
    public struct LoggedChange: Sendable, Hashable {
        public let sequence: SequenceNumber
        public let kind: Engine.Change.Kind
        /// The key; `nil` for changes of a whole namespace.
        public let key: EntryKey?
        private let name: NamespaceName

        /// The user in whose space the namespace is; `nil` for the common space.
        public var userID: String? {
            if case .user(let id) = name.owner { id } else { nil }
        }

        /// The names from the top of the space down to the namespace.
        public var path: [String] { name.components }

        /// Returns the namespace in a state of the store.
        public func namespace(in store: Store) -> Store.Namespace { Store.Namespace(core: store.core, name: name) }

        init?(_ change: Engine.Change) {
            guard let name = NamespaceName(bytes: change.name) else { return nil }
            self.name = name
            sequence = change.sequence
            kind = change.kind
            key =
                switch change.kind {
                case .set, .removed: EntryKey(change.key)
                case .purged, .truncated, .dropped, .optionsChanged: nil
                }
        }
    }
}
