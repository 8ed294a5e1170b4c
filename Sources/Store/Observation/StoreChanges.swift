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
