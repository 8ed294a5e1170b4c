public import ShaleBase
import ShaleManifest
import ShalePlatform

extension Engine {
    /// Lends the value of `key` to `body` without copying it; `nil` when the key is not there.
    ///
    /// `body` runs while the value's memory is pinned: return soon, and don't keep the span. It may read from the same
    /// engine. Cost: no lock and no allocation when the block is cached; O(log n) otherwise one block read.
    ///
    /// Errors: `.corruption` (this key's block is damaged: others stay readable), `.namespaceDropped`, `.ioFailure`,
    /// `.invalidArgument`, and what `body` throws.
    public func withValue<R>(
        forKey key: RawSpan, in namespace: NamespaceID, at snapshot: Snapshot? = nil,
        _ body: (RawSpan) throws(StorageError) -> R
    ) throws(StorageError) -> R? {
        try unsafe key.withUnsafeBytes { (key) throws(StorageError) in
            try core.find(unsafe Bytes(key), in: namespace, at: snapshot, fillCache: true) {
                (found) throws(StorageError) in try body(found.value.span)
            }
        }
    }

    /// As ``withValue(forKey:in:at:_:)``, and lends with the value what else is known of its entry.
    package func withEntry<R>(
        forKey key: RawSpan, in namespace: NamespaceID, at snapshot: Snapshot? = nil,
        _ body: (FoundEntry) throws(StorageError) -> R
    ) throws(StorageError) -> R? {
        try unsafe key.withUnsafeBytes { (key) throws(StorageError) in
            try core.find(unsafe Bytes(key), in: namespace, at: snapshot, fillCache: true, body)
        }
    }

    /// A copy of the value of `key`; `nil` when the key is not there.
    public func value(
        forKey key: RawSpan, in namespace: NamespaceID, at snapshot: Snapshot? = nil
    ) throws(StorageError) -> [UInt8]? {
        try withValue(forKey: key, in: namespace, at: snapshot) { (value) in
            unsafe value.withUnsafeBytes { unsafe [UInt8]($0) }
        }
    }

    /// Whether `key` is there.
    public func contains(
        key: RawSpan, in namespace: NamespaceID, at snapshot: Snapshot? = nil
    ) throws(StorageError) -> Bool {
        try withValue(forKey: key, in: namespace, at: snapshot) { _ in } != nil
    }

    /// The values of several keys, as of one moment, in the order of `keys`. Copies:
    /// ``withValues(forKeys:in:at:_:)`` does not.
    public func values(
        forKeys keys: [[UInt8]], in namespace: NamespaceID, at snapshot: Snapshot? = nil
    ) throws(StorageError) -> [[UInt8]?] {
        var values: [[UInt8]?] = []
        values.reserveCapacity(keys.count)
        try core.findAll(keys, in: namespace, at: snapshot) { (_, found) in values.append(found?.value.array()) }
        return values
    }

    /// Lends the values of several keys, as of one moment, to `body`: with the index of the key in `keys`, in rising
    /// order; `nil` for keys that are not there. One pin and one snapshot serve all keys.
    ///
    /// `body` runs while the values' memory is pinned: return soon, and don't keep the span. Errors as for
    /// ``withValue(forKey:in:at:_:)``; the first one ends the call.
    public func withValues(
        forKeys keys: [[UInt8]], in namespace: NamespaceID, at snapshot: Snapshot? = nil,
        _ body: (_ index: Int, _ value: RawSpan?) throws(StorageError) -> Void
    ) throws(StorageError) {
        try core.findAll(keys, in: namespace, at: snapshot) { (index, found) throws(StorageError) in
            try body(index, found?.value.span)
        }
    }

    /// What is known about the entry of `key` besides its value.
    public func info(
        forKey key: RawSpan, in namespace: NamespaceID, at snapshot: Snapshot? = nil
    ) throws(StorageError) -> EntryInfo? {
        try unsafe key.withUnsafeBytes { (key) throws(StorageError) in
            try core.find(unsafe Bytes(key), in: namespace, at: snapshot, fillCache: true) { EntryInfo($0) }
        }
    }

    /// The store as it is now, to be read from for as long as the result lives.
    public func snapshot() -> Snapshot { Snapshot(core) }
}

/// An entry's properties.
public struct EntryInfo: Sendable, Hashable {
    public let valueByteCount: Int
    public let isPurgeable: Bool
    /// Milliseconds since 1970.
    public let expiresAtMilliseconds: Int64?

    package init(_ found: FoundEntry) {
        valueByteCount = found.value.count
        isPurgeable = found.trailer.kind.isPurgeable
        expiresAtMilliseconds = found.trailer.kind.hasExpiry ? found.expiry : nil
    }

    init(_ options: PutOptions, valueByteCount: Int) {
        self.valueByteCount = valueByteCount
        isPurgeable = options.isPurgeable
        expiresAtMilliseconds = options.expiresAtMilliseconds
    }
}

/// A moment of the store. Everything read at it agrees, whatever is written, purged or compacted meanwhile; only a
/// dropped namespace can't be read any more. Old snapshots keep old versions on disk: see
/// ``EngineStatistics/oldestSnapshotAgeMilliseconds``. Ends with its last reference.
public final class Snapshot: Sendable {
    let core: EngineCore
    let observer: Observer
    private let place = SnapshotPlace()

    init(_ core: EngineCore) {
        self.core = core
        core.clock.refresh()
        observer = core.snapshots.register(place) { core.present() }
    }

    deinit { core.snapshots.release(place) }

    /// Everything up to this sequence, and nothing after it, is seen.
    public var sequence: SequenceNumber { observer.sequence }
}
