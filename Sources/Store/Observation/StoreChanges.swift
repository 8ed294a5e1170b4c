public import ShaleBase
import ShaleEngine

extension Store {
    /// The changes of a key, a range of keys, a namespace, a user or the whole store, from the moment of subscription
    /// on.
    ///
    /// Each change is delivered after it has become visible, in the order of writing.
    ///
    /// ```swift
    /// let changes = try settings.changes(prefix: "window/")
    /// for await change in changes {
    ///     switch change {
    ///     case .set(let key, _, _): refresh(key)
    ///     default: refreshAll()
    ///     }
    /// }
    /// ```
    /// Nothing is left out silently. Changes wait until they are read, up to the given capacity; changes beyond it
    /// become one `.gap`. Batches, transactions, purges, truncations and drops are delivered, and so are writes to a
    /// namespace that was created again. A change of a data key encrypts values again and delivers each as `.set`.
    ///
    /// The expiry of an entry writes nothing, and is delivered only on request (`reportsExpiry`), at most one second
    /// after reads have stopped finding the entry. For that, subscribing reads the observed entries once, and the times
    /// of up to 4 MiB of keys are kept in memory. For more, the entries are read again as time passes.
    ///
    /// A subscription is for one reader: copies and iterators share it, so each change is delivered to only one of
    /// them. It ends when a task waiting for it is cancelled, with ``cancel()``, with its last copy, or when the store
    /// is closed. After a close, waiting changes can still be read. Without subscriptions, writes have no cost for
    /// observation.
    public struct Changes: AsyncSequence, Sendable {
        public typealias Element = Store.Change
        public typealias Failure = Never

        private let reader: ChangeReader

        init(
            _ core: StoreCore, _ filter: ChangeFilter, _ capacity: Int, since: SequenceNumber? = nil,
            reportsExpiry: Bool = false
        ) throws(StorageError) {
            reader = try ChangeReader(core, filter, capacity, since: since, reportsExpiry: reportsExpiry)
        }

        /// The sequence at the start: the subscription delivers newer changes, and a read after subscribing sees at
        /// least this state.
        ///
        /// To continue later from the same point, keep the ``Store/Change/sequence`` of the last change that was
        /// processed.
        public var start: SequenceNumber { reader.start }

        /// Ends the subscription. Waiting changes are discarded.
        public func cancel() { reader.end() }

        /// Returns the next change without a task: blocks the calling thread for at most `limit`.
        ///
        /// - Returns: `nil` if no change came in time, or the subscription has ended.
        public func next(waiting limit: Duration) -> Store.Change? { reader.next(waiting: limit) }

        public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

        public struct Iterator: AsyncIteratorProtocol {
            let reader: ChangeReader

            /// Returns the next change; `nil` at the end.
            public mutating func next(
                isolation: isolated (any Actor)? = #isolation
            ) async -> Store.Change? {
                await reader.next(isolation: isolation)
            }
        }
    }
}

extension Store {
    /// One observed change. See ``Store/Changes``.
    public enum Change: Sendable, Hashable {
        /// A value was set. The change does not contain it. A read finds this value or a newer one, for which another
        /// change follows.
        case set(EntryKey, in: Store.Namespace, sequence: SequenceNumber)
        /// A key was removed, whether or not it existed.
        case removed(EntryKey, in: Store.Namespace, sequence: SequenceNumber)
        /// An entry has expired. Delivered only to subscriptions that ask for it. The sequence is that of the change
        /// delivered before.
        case expired(EntryKey, in: Store.Namespace, sequence: SequenceNumber)
        /// All purgeable entries of the namespace were removed.
        case purged(Store.Namespace, sequence: SequenceNumber)
        /// All entries of the namespace were removed; the namespace still exists.
        case truncated(Store.Namespace, sequence: SequenceNumber)
        /// The namespace was removed with all its entries. Later writes to its name are delivered too.
        case dropped(Store.Namespace, sequence: SequenceNumber)
        /// Changes with the sequences `from` … `to`, both included, may be missing. Read again the values that matter.
        case gap(from: SequenceNumber, to: SequenceNumber)

        /// The change's position in the order of writing; for a gap, the last one that it covers. Changes written
        /// together have consecutive sequences.
        public var sequence: SequenceNumber {
            switch self {
            case .set(_, _, let sequence), .removed(_, _, let sequence), .expired(_, _, let sequence),
                .purged(_, let sequence), .truncated(_, let sequence), .dropped(_, let sequence), .gap(_, let sequence):
                sequence
            }
        }

        /// The key; `nil` for changes of a whole namespace and for gaps.
        public var key: EntryKey? {
            switch self {
            case .set(let key, _, _), .removed(let key, _, _), .expired(let key, _, _): key
            case .purged, .truncated, .dropped, .gap: nil
            }
        }

        /// The namespace; `nil` for a gap.
        public var namespace: Store.Namespace? {
            switch self {
            case .set(_, let namespace, _), .removed(_, let namespace, _), .expired(_, let namespace, _),
                .purged(let namespace, _), .truncated(let namespace, _), .dropped(let namespace, _):
                namespace
            case .gap: nil
            }
        }
    }
}
