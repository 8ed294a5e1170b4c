public import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleValues

extension Engine {
    /// Passes the value of `key` to `body` without copying it.
    ///
    /// `body` runs while the value's memory is pinned: return soon, and don't keep the span. It may read from the same
    /// engine.
    ///
    /// - Returns: The result of `body`; `nil` if the key does not exist.
    /// - Throws: `.corruption` if this key's block is damaged (other keys stay readable), `.namespaceDropped`,
    ///   `.ioFailure`, `.invalidArgument`, `.closed`, or an error of `body`.
    /// - Complexity: O(log n). If the block is cached, the call takes no lock and allocates nothing; otherwise it reads
    ///   one block.
    public func withValue<R>(
        forKey key: RawSpan, in namespace: NamespaceID, at snapshot: Engine.Snapshot? = nil,
        _ body: (RawSpan) throws(StorageError) -> R
    ) throws(StorageError) -> R? {
        try unsafe key.withUnsafeBytes { (key) throws(StorageError) in
            try core.findValue(unsafe Bytes(key), in: namespace, at: snapshot) { (value) throws(StorageError) in
                try body(value.span)
            }
        }
    }

    /// Passes the entry of `key` to `body`: the value and its metadata. See ``withValue(forKey:in:at:_:)``.
    package func withEntry<R>(
        forKey key: RawSpan, in namespace: NamespaceID, at snapshot: Engine.Snapshot? = nil,
        _ body: (FoundEntry) throws(StorageError) -> R
    ) throws(StorageError) -> R? {
        try unsafe key.withUnsafeBytes { (key) throws(StorageError) in
            try core.find(unsafe Bytes(key), in: namespace, at: snapshot, fillCache: true, body)
        }
    }

    /// Passes the entry of `key` to `body`; returns false if the key does not exist.
    ///
    /// See ``withValue(forKey:in:at:_:)``.
    /// Not generic: no other module specializes a generic function of the engine, and the results of its closures then
    /// pass through memory and through the witnesses of their type.
    package func readEntry(
        forKey key: RawSpan, in namespace: NamespaceID, _ body: (FoundEntry) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        try unsafe key.withUnsafeBytes { (key) throws(StorageError) in
            try core.find(unsafe Bytes(key), in: namespace, at: nil, fillCache: true, body) != nil
        }
    }

    /// Returns a copy of the value of `key`; `nil` if the key does not exist.
    public func value(
        forKey key: RawSpan, in namespace: NamespaceID, at snapshot: Engine.Snapshot? = nil
    ) throws(StorageError) -> [UInt8]? {
        try withValue(forKey: key, in: namespace, at: snapshot) { (value) in value.array() }
    }

    /// Returns true if `key` exists.
    public func contains(
        key: RawSpan, in namespace: NamespaceID, at snapshot: Engine.Snapshot? = nil
    ) throws(StorageError) -> Bool {
        try unsafe key.withUnsafeBytes { (key) throws(StorageError) in
            try core.findStored(unsafe Bytes(key), in: namespace, at: snapshot, fillCache: true) { _ in } != nil
        }
    }

    /// Returns copies of the values of several keys, as of one moment, in the order of `keys`.
    ///
    /// ``withValues(forKeys:in:at:_:)`` does the same without copying.
    public func values(
        forKeys keys: [[UInt8]], in namespace: NamespaceID, at snapshot: Engine.Snapshot? = nil
    ) throws(StorageError) -> [[UInt8]?] {
        var values: [[UInt8]?] = []
        values.reserveCapacity(keys.count)
        try core.findAll(keys, in: namespace, at: snapshot) { (_, found) in values.append(found?.value.array()) }
        return values
    }

    /// Passes the values of several keys, as of one moment, to `body`.
    ///
    /// `body` gets each key's index in `keys`, in ascending order, and its value; `nil` if the key does not exist. One
    /// pin and one snapshot serve all keys. `body` runs while the values' memory is pinned: return soon, and don't keep
    /// the span.
    ///
    /// - Throws: The errors of ``withValue(forKey:in:at:_:)``. The first one ends the call.
    public func withValues(
        forKeys keys: [[UInt8]], in namespace: NamespaceID, at snapshot: Engine.Snapshot? = nil,
        _ body: (_ index: Int, _ value: RawSpan?) throws(StorageError) -> Void
    ) throws(StorageError) {
        try withEntries(forKeys: keys, in: namespace, at: snapshot) { (index, found) throws(StorageError) in
            try body(index, found?.value.span)
        }
    }

    /// Passes the entries of several keys to `body`. See ``withValues(forKeys:in:at:_:)``.
    package func withEntries(
        forKeys keys: [[UInt8]], in namespace: NamespaceID, at snapshot: Engine.Snapshot? = nil,
        _ body: (_ index: Int, _ found: FoundEntry?) throws(StorageError) -> Void
    ) throws(StorageError) {
        try core.findAll(keys, in: namespace, at: snapshot, body)
    }

    /// Does the same for keys in one piece of memory. Their cache misses overlap.
    package func withEntries(
        forKeys keys: KeyList, in namespace: NamespaceID, at snapshot: Engine.Snapshot? = nil,
        _ body: (_ index: Int, _ found: FoundEntry?) throws(StorageError) -> Void
    ) throws(StorageError) {
        try core.findAll(keys, in: namespace, at: snapshot, body)
    }

    /// Returns the properties of the entry of `key`; `nil` if the key does not exist.
    public func info(
        forKey key: RawSpan, in namespace: NamespaceID, at snapshot: Engine.Snapshot? = nil
    ) throws(StorageError) -> EntryInfo? {
        try unsafe key.withUnsafeBytes { (key) throws(StorageError) in
            try core.findStored(unsafe Bytes(key), in: namespace, at: snapshot, fillCache: true) {
                (found) throws(StorageError) in try EntryInfo(stored: found)
            }
        }
    }

    /// Returns a snapshot of the store as it is now. It stays readable while the result exists.
    public func snapshot() -> Engine.Snapshot { Engine.Snapshot(core) }

    /// Returns a snapshot and the namespaces that existed at its moment.
    ///
    /// The namespaces are those before and after taking the snapshot, which must be the same: ids are never reused, so
    /// an unchanged next id and number of namespaces means that none was created or dropped in between.
    package func snapshotWithNamespaces() -> (snapshot: Engine.Snapshot, namespaces: SnapshotNamespaces) {
        while true {
            let before = core.catalogue.withLock { $0 }
            let snapshot = snapshot()
            let isSame = core.catalogue.withLock {
                $0.nextID == before.nextID && $0.records.count == before.records.count
            }
            if isSame { return (snapshot, SnapshotNamespaces(catalogue: before)) }
        }
    }
}

/// The properties of an entry.
public struct EntryInfo: Sendable, Hashable {
    public let valueByteCount: Int
    public let isPurgeable: Bool
    /// The time of expiry in milliseconds since 1970; `nil` if the entry does not expire.
    public let expiresAtMilliseconds: Int64?

    /// The properties of an entry as it is stored: with its value, or with a reference.
    init(stored found: FoundEntry) throws(StorageError) {
        let count = found.trailer.kind.isReference ? try ValueReference(stored: found.value).count : found.value.count
        self.init(found, valueByteCount: count)
    }

    package init(_ found: FoundEntry) { self.init(found, valueByteCount: found.value.count) }

    init(_ found: FoundEntry, valueByteCount: Int) {
        self.valueByteCount = valueByteCount
        isPurgeable = found.trailer.kind.isPurgeable
        expiresAtMilliseconds = found.trailer.kind.hasExpiry ? found.expiry : nil
    }

    init(_ options: PutOptions, valueByteCount: Int) {
        self.valueByteCount = valueByteCount
        isPurgeable = options.isPurgeable
        expiresAtMilliseconds = options.expiresAtMilliseconds
    }
}

/// The namespaces that existed at the moment of a snapshot.
package struct SnapshotNamespaces: Sendable {
    fileprivate let catalogue: Catalogue

    /// Returns the id of a namespace; `nil` if it did not exist.
    package func id(named name: [UInt8]) -> NamespaceID? { catalogue.record(named: name)?.id }
}

extension Engine {
    /// A consistent view of the store at one moment.
    ///
    /// Reads at a snapshot ignore all later writes, purges and compactions. Only a dropped namespace becomes
    /// unreadable. Old snapshots keep old versions on disk: see ``Engine/Statistics/oldestSnapshotAge``. A snapshot
    /// ends with its last reference.
    public final class Snapshot: Sendable {
        let core: EngineCore
        let readPoint: ReadPoint
        private let slot = SnapshotSlot()

        init(_ core: EngineCore) {
            self.core = core
            core.clock.refresh()
            let early = PlantedBug.isActive(.registerSnapshotLate) ? core.present() : nil
            if early != nil { SchedulePoint.reach(.visible) }
            readPoint = core.snapshots.register(slot) { early ?? core.present() }
        }

        deinit { core.snapshots.release(slot) }

        /// The snapshot sees every change up to this sequence, and no later one.
        public var sequence: SequenceNumber { readPoint.sequence }
    }
}
