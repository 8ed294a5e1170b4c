public import ShaleBase

/// The changes of a key, a range of keys, a namespace, a user or the whole store, from the call that made this on:
/// every one of them, each after it has become visible, in the order of writing.
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
/// Nothing is left out silently. Changes wait here until they are read, up to the number that was asked for; what comes
/// while that many wait becomes one `.gap`. Batches, transactions, purges, truncations, drops and writes to a namespace
/// that was made anew are told; the end of an entry's time to live is not, because nothing is written then. Changing a
/// data key encrypts values anew and tells of them as set.
///
/// A subscription for one reader: copies and iterators share it, and what one has read the others don't get. It ends when
/// the task that waits for it is cancelled, with ``cancel()``, with the last copy, and when the store is closed: then what
/// waits is read before the end. While nobody observes, writes cost nothing for this.
public struct StoreChanges: AsyncSequence, Sendable {
    public typealias Element = StoreChange
    public typealias Failure = Never

    private let reader: ChangeReader

    init(_ core: StoreCore, _ filter: ChangeFilter, _ capacity: Int, since: SequenceNumber?) throws(StorageError) {
        reader = try ChangeReader(core, filter, capacity, since: since)
    }

    /// What this tells is newer than this sequence; what a read finds right after the call is at least as new. To go on
    /// later where this was, remember the ``StoreChange/sequence`` of the last change that was dealt with.
    public var start: SequenceNumber { reader.start }

    /// Ends the subscription. What waits is dropped.
    public func cancel() { reader.end() }

    /// The next change without a task: waits on the calling thread, at most so long. `nil` when none came, or none will.
    public func next(waiting limit: Duration) -> StoreChange? { reader.next(waiting: limit) }

    public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

    public struct Iterator: AsyncIteratorProtocol {
        let reader: ChangeReader

        /// The next change; `nil` at the end.
        public mutating func next(
            isolation: isolated (any Actor)? = #isolation
        ) async -> StoreChange? {
            await reader.next(isolation: isolation)
        }
    }
}
