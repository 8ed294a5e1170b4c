public import ShaleBase
import ShalePlatform

/// A namespace of a store in this process, as an ``AsyncNamespace``.
///
/// ```swift
/// let orders: some AsyncNamespace = EmbeddedNamespace(store.common["orders"], in: store)
/// ```
/// Reads run on the caller's thread, as those of `Store.Namespace` do. Writes that wait for the disk run on a thread of
/// the library.
public struct EmbeddedNamespace: AsyncNamespace {
    private let namespace: Store.Namespace
    private let store: Store
    private let durability: Durability?

    /// Adapts a namespace of `store`. Writes have the given durability; `nil` means the store's default.
    public init(_ namespace: Store.Namespace, in store: Store, durability: Durability? = nil) {
        self.namespace = namespace
        self.store = store
        self.durability = durability
    }

    public var capabilities: NamespaceCapabilities {
        [.batchesAcrossPartitions, .scansOfOneMoment, .purgesOfOneMoment, .encryption]
    }

    public var codableFormat: CodableFormat { namespace.codableFormat }

    public nonisolated(nonsending) func entry(
        forKey key: some StoreKey
    ) async throws(StorageError) -> AsyncEntry? {
        try checkCancellation()
        return try namespace.plainEntry(forKey: key).map { AsyncEntry($0, namespace.codecs) }
    }

    public nonisolated(nonsending) func entries(
        forKeys keys: [EntryKey]
    ) async throws(StorageError) -> [AsyncEntry?] {
        try checkCancellation()
        // A snapshot, so that all of them are of one moment.
        let reader = try store.snapshot()[namespace]
        var entries: [AsyncEntry?] = []
        for key in keys { entries.append(try reader.plainEntry(forKey: key).map { AsyncEntry($0, namespace.codecs) }) }
        return entries
    }

    public nonisolated(nonsending) func write(_ changes: NamespaceChanges) async throws(StorageError) {
        let namespace = namespace
        try await store.write(durability: durability) { (batch) throws(StorageError) in
            for change in changes.changes {
                switch change.content {
                case .remove: try batch.remove(change.key, in: namespace)
                case .set(let codec, let payload, let options):
                    try batch.setPayload(payload, codec: codec, forKey: change.key, in: namespace, options: options)
                }
            }
        }
    }

    @discardableResult
    public nonisolated(nonsending) func update(
        forKey key: some StoreKey, _ body: (AsyncEntry?) throws(StorageError) -> EntryUpdate
    ) async throws(StorageError) -> Bool {
        let key = EntryKey(try key.keyBytes)
        let namespace = namespace
        return try await store.transaction(attempts: .max, durability: durability) {
            (transaction) throws(StorageError) in
            let found = try transaction[namespace].plainEntry(forKey: key).map { AsyncEntry($0, namespace.codecs) }
            guard let change = try body(found).change(of: key) else { return false }
            switch change.content {
            case .remove: try transaction.remove(key, in: namespace)
            case .set(let codec, let payload, let options):
                try transaction.setPayload(payload, codec: codec, forKey: key, in: namespace, options: options)
            }
            return true
        }
    }

    /// Returns nothing: all keys of a store are one partition.
    public func partition(of key: EntryKey) -> [UInt8] { [] }

    /// All entries at the moment of a snapshot of the store.
    public func entries(at snapshot: Store.Snapshot) -> EmbeddedEntries {
        EmbeddedEntries(scan: snapshot[namespace].entries, codecs: namespace.codecs)
    }

    public func entries(in range: some KeyInterval) -> EmbeddedEntries {
        EmbeddedEntries(scan: namespace.entries(in: range), codecs: namespace.codecs)
    }

    public nonisolated(nonsending) func purgeNow() async throws(StorageError) {
        try checkCancellation()
        let (store, namespace) = (store, namespace)
        try await BlockingWork.run { (_) throws(StorageError) in _ = try store.purgeNow(.namespace(namespace)) }
    }

    public nonisolated(nonsending) func truncate() async throws(StorageError) {
        try checkCancellation()
        let namespace = namespace
        try await BlockingWork.run { (_) throws(StorageError) in try namespace.truncate() }
    }

    private func checkCancellation() throws(StorageError) {
        if Task.isCancelled { throw StorageError(.cancelled, "the task was cancelled") }
    }
}

/// The entries in a range of an ``EmbeddedNamespace``, of one moment. Can be used many times.
public struct EmbeddedEntries: AsyncSequence, Sendable {
    public typealias Element = AsyncEntry
    public typealias Failure = StorageError

    fileprivate let scan: Scan<Store.Entry>
    fileprivate let codecs: CodecTable

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(entries: scan.makeAsyncIterator(), codecs: codecs)
    }

    /// The position of one walk. Used by one task at a time.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var entries: Scan<Store.Entry>.AsyncIterator
        fileprivate let codecs: CodecTable

        /// Returns the next entry; `nil` at the end.
        public mutating func next(
            isolation: isolated (any Actor)? = #isolation
        ) async throws(StorageError) -> AsyncEntry? {
            guard let entry = try await entries.next(isolation: isolation) else { return nil }
            return AsyncEntry(try PlainEntry(entry), codecs)
        }
    }
}

extension AsyncEntry {
    fileprivate init(_ entry: PlainEntry, _ codecs: CodecTable) {
        self.init(key: entry.key[...], envelope: entry.envelope[...], info: entry.info, codecs: codecs)
    }
}
