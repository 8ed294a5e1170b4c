public import ShaleBase

/// The changes of a key, a range of keys, a namespace, a user or the whole store, from the moment of subscription on.
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
/// Nothing is left out silently. Changes wait until they are read, up to the given capacity; changes beyond it become
/// one `.gap`. Batches, transactions, purges, truncations and drops are delivered, and so are writes to a namespace
/// that was created again. The expiry of an entry is not delivered, because it writes nothing. A change of a data key
/// encrypts values again and delivers each as `.set`.
///
/// A subscription is for one reader: copies and iterators share it, so each change is delivered to only one of them. It
/// ends when a task waiting for it is cancelled, with ``cancel()``, with its last copy, or when the store is closed.
/// After a close, waiting changes can still be read. Without subscriptions, writes have no cost for observation.
public struct StoreChanges: AsyncSequence, Sendable {
    public typealias Element = StoreChange
    public typealias Failure = Never

    private let reader: ChangeReader

    init(_ core: StoreCore, _ filter: ChangeFilter, _ capacity: Int, since: SequenceNumber?) throws(StorageError) {
        reader = try ChangeReader(core, filter, capacity, since: since)
    }

    /// The sequence at the start: the subscription delivers newer changes, and a read after subscribing sees at least
    /// this state.
    ///
    /// To continue later from the same point, keep the ``StoreChange/sequence`` of the last change that was processed.
    public var start: SequenceNumber { reader.start }

    /// Ends the subscription. Waiting changes are discarded.
    public func cancel() { reader.end() }

    /// Returns the next change without a task: blocks the calling thread for at most `limit`.
    ///
    /// - Returns: `nil` if no change came in time, or the subscription has ended.
    public func next(waiting limit: Duration) -> StoreChange? { reader.next(waiting: limit) }

    public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

    public struct Iterator: AsyncIteratorProtocol {
        let reader: ChangeReader

        /// Returns the next change; `nil` at the end.
        public mutating func next(
            isolation: isolated (any Actor)? = #isolation
        ) async -> StoreChange? {
            await reader.next(isolation: isolation)
        }
    }
}

/// One observed change. See ``StoreChanges``.
public enum StoreChange: Sendable, Hashable {
    /// A value was set. The change does not contain it. A read finds this value or a newer one, for which another
    /// change follows.
    case set(EntryKey, in: Namespace, sequence: SequenceNumber)
    /// A key was removed, whether or not it existed.
    case removed(EntryKey, in: Namespace, sequence: SequenceNumber)
    /// All purgeable entries of the namespace were removed.
    case purged(Namespace, sequence: SequenceNumber)
    /// All entries of the namespace were removed; the namespace still exists.
    case truncated(Namespace, sequence: SequenceNumber)
    /// The namespace was removed with all its entries. Later writes to its name are delivered too.
    case dropped(Namespace, sequence: SequenceNumber)
    /// Changes with the sequences `from` … `to`, both included, may be missing. Read again the values that matter.
    case gap(from: SequenceNumber, to: SequenceNumber)

    /// The change's position in the order of writing; for a gap, the last one that it covers. Changes written together
    /// have consecutive sequences.
    public var sequence: SequenceNumber {
        switch self {
        case .set(_, _, let sequence), .removed(_, _, let sequence), .purged(_, let sequence),
            .truncated(_, let sequence), .dropped(_, let sequence), .gap(_, let sequence):
            sequence
        }
    }

    /// The key; `nil` for changes of a whole namespace and for gaps.
    public var key: EntryKey? {
        switch self {
        case .set(let key, _, _), .removed(let key, _, _): key
        case .purged, .truncated, .dropped, .gap: nil
        }
    }

    /// The namespace; `nil` for a gap.
    public var namespace: Namespace? {
        switch self {
        case .set(_, let namespace, _), .removed(_, let namespace, _), .purged(let namespace, _),
            .truncated(let namespace, _), .dropped(let namespace, _):
            namespace
        case .gap: nil
        }
    }
}

/// The values of a typed key: the current one, then the newest one after each change.
///
/// A value follows when the key was set or removed, or its namespace purged, truncated or dropped. Values that were
/// replaced before they were read are left out; the last one never is. Two consecutive values may be equal.
///
/// An error of ``Namespace/value(for:)`` ends the sequence and is thrown. In all other respects it behaves as
/// ``StoreChanges``.
public struct StoreValues<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value
    public typealias Failure = StorageError

    private let namespace: Namespace
    private let key: Key<Value>
    private let changes: StoreChanges

    init(_ namespace: Namespace, _ key: Key<Value>, _ changes: StoreChanges) {
        self.namespace = namespace
        self.key = key
        self.changes = changes
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(namespace: namespace, key: key, reader: changes.makeAsyncIterator().reader)
    }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let namespace: Namespace
        fileprivate let key: Key<Value>
        fileprivate let reader: ChangeReader
        fileprivate var hasStarted = false
        fileprivate var hasEnded = false

        /// Returns the next value; `nil` at the end.
        public mutating func next(
            isolation: isolated (any Actor)? = #isolation
        ) async throws(StorageError) -> Value? {
            if hasEnded { return nil }
            if hasStarted {
                guard await reader.next(isolation: isolation) != nil else { return nil }
            }
            hasStarted = true
            // All waiting changes are older than the value that is read now.
            while reader.poll() != nil {}
            do throws(StorageError) {
                return try namespace.value(for: key)
            } catch {
                hasEnded = true
                throw error
            }
        }
    }
}
