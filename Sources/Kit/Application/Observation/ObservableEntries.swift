public import Observation
public import Shale

/// The entries of a prefix or a range as an observable object, for lists.
///
/// ```swift
/// let orders = ObservableEntries(prefix: "2026-", in: App.orders, as: Order.self, limit: 50)
/// for entry in orders.entries { show(entry.key, entry.value) }
/// ```
/// The entries are read when the object is made, and again after each change in the range, each time as of one moment
/// and on a separate thread. ``entries`` is empty until the first read has ended: see ``isLoaded``. In all other
/// respects the object behaves as an ``ObservableValue``. It does not write; write to the namespace.
public final class ObservableEntries<Value: Decodable & Sendable>: Observable {
    /// An entry of the range.
    public struct Entry: Sendable, Identifiable {
        public let key: EntryKey
        public let value: Value
        /// The key, which identifies the entry in its namespace.
        public var id: EntryKey { key }
    }

    private let followed: Followed<[Entry]>

    /// Makes an observable range that belongs to the main actor.
    ///
    /// An invalid range, a limit below 1 or a value of another type is in ``error``.
    ///
    /// - Parameters:
    ///   - range: The keys to observe.
    ///   - place: A namespace, or ``Shale/Store/currentUserNamespace(_:)``.
    ///   - type: The type of all values in the range.
    ///   - limit: The number of entries to show at most: the first ones of the range.
    ///   - reportsExpiry: True to read again after an entry has expired. See `Store.Changes` for the cost.
    @MainActor
    public convenience init(
        in range: some KeyInterval, of place: some NamespacePlace, as type: Value.Type = Value.self,
        limit: Int = 1000, reportsExpiry: Bool = false
    ) {
        self.init(
            in: range, of: place, as: Value.self, limit: limit, reportsExpiry: reportsExpiry,
            isolation: MainActor.shared)
    }

    /// Makes an observable prefix that belongs to the main actor, as ``init(in:of:as:limit:reportsExpiry:)`` does for a
    /// range. The empty prefix is the whole namespace.
    @MainActor
    public convenience init(
        prefix: some StoreKey, in place: some NamespacePlace, as type: Value.Type = Value.self, limit: Int = 1000,
        reportsExpiry: Bool = false
    ) {
        self.init(
            prefix: prefix, in: place, as: Value.self, limit: limit, reportsExpiry: reportsExpiry,
            isolation: MainActor.shared)
    }

    /// Makes an observable range that belongs to the actor `isolation`.
    public convenience init(
        in range: some KeyInterval, of place: some NamespacePlace, as type: Value.Type = Value.self,
        limit: Int = 1000, reportsExpiry: Bool = false, isolation: isolated any Actor
    ) {
        let range = Result { () throws(StorageError) in try range.keyRange }
        self.init(range, place, limit, reportsExpiry, isolation)
    }

    /// Makes an observable prefix that belongs to the actor `isolation`.
    public convenience init(
        prefix: some StoreKey, in place: some NamespacePlace, as type: Value.Type = Value.self, limit: Int = 1000,
        reportsExpiry: Bool = false, isolation: isolated any Actor
    ) {
        let range = Result { () throws(StorageError) in KeyRange.prefix(try prefix.keyBytes) }
        self.init(range, place, limit, reportsExpiry, isolation)
    }

    private init(
        _ range: Result<KeyRange, StorageError>, _ place: some NamespacePlace, _ limit: Int, _ reportsExpiry: Bool,
        _ isolation: isolated any Actor
    ) {
        let content = FollowedContent<[Entry]>(absent: [], readsOnThread: true) {
            (namespace) throws(StorageError) in
            guard limit > 0 else { throw StorageError(.invalidArgument, "an observation shows at least 1 entry") }
            return try namespace.changes(in: try range.get(), capacity: 1, reportsExpiry: reportsExpiry)
        } read: { (namespace) throws(StorageError) in
            var entries: [Entry] = []
            let cursor = namespace.entries(in: try range.get()).cursor()
            while entries.count < limit, let entry = try cursor.next() {
                entries.append(Entry(key: entry.key, value: try entry.value(as: Value.self)))
            }
            return entries
        }
        followed = Followed(place, content, isolation: isolation)
    }

    /// The entries in the order of their keys, as they were last read.
    public var entries: [Entry] { followed.content }

    /// True once the entries have been read.
    public var isLoaded: Bool { followed.hasRead }

    /// The error of the last read; `nil` after a success. After an error, ``entries`` may be older than what is stored.
    public var error: StorageError? { followed.error }

    /// True once the observation has ended: after ``cancel()``, or when the store was closed. The last entries stay.
    public var hasEnded: Bool { followed.hasEnded }

    /// Ends the observation.
    public func cancel() { followed.end() }
}

extension ObservableEntries.Entry: Equatable where Value: Equatable {}
extension ObservableEntries.Entry: Hashable where Value: Hashable {}
