import ShaleBase
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleSegment
import ShaleValues

extension FoundEntry {
    /// Returns the same put with the value to which it refers.
    func replacingReference(by value: Bytes) -> FoundEntry {
        FoundEntry(trailer: Trailer(trailer.sequence, trailer.kind.ofValue), expiry: expiry, value: value)
    }
}

/// Large values in reads.
extension EngineCore {
    var valueSource: ValueSource { ValueSource(segmentEnvironment.values, in: directories.segments) }

    /// Returns the value to which a stored `reference` leads. The caller is pinned, and uses it before it unpins.
    @inline(never)
    func largeValue(_ reference: Bytes, fillCache: Bool) throws(StorageError) -> LargeValue {
        let reference = try ValueReference(stored: reference)
        let cache = segmentEnvironment.cache
        if let value = cache.cachedValue(reference) { return value }
        return try cache.readValue(reference, from: valueSource, fillCache: fillCache)
    }
}

extension Engine {
    /// At least the bytes of all values in value files that a reader of the present state sees. Statistics of
    /// namespaces count 28 bytes for each of them.
    ///
    /// - Complexity: O(value files).
    package var valueFileBytesMax: UInt64 {
        get throws(StorageError) {
            // Before the view is taken: a flush moves bytes from here to the segments' uses, and never back.
            var bytes = core.committer.lock.withLock {
                core.committer.valueWriters.values.reduce(0) { $0 + $1.endOffset }
                    + core.committer.streams.values.reduce(0) { $1.values.reduce($0, +) }
            }
            let view = core.viewCell.retained()
            bytes += view.version.valueUses.values.reduce(0) { $0 + $1.usedBytes }
            // Those of logs that are served from memory have no writer.
            for memtable in view.immutables {
                guard let file = memtable.valueFiles?.own else { continue }
                do throws(StorageError) {
                    bytes += try file.size()
                } catch {
                    // The flush of the memtable has released the file meanwhile.
                    guard error.code == .corruption else { throw error }
                }
            }
            return bytes
        }
    }
}

/// Large values in writes.
extension EngineCore {
    /// The fill of the value file of the mutable memtable, from 0 to 1.
    func valueShare(of view: View) -> Double {
        guard let separation = committer.separation, let log = view.logs.first,
            let file = committer.lock.withLock({ committer.valueWriters[log] })
        else { return 0 }
        return Double(file.endOffset) / Double(separation.fileBytesMax)
    }

    func hasLargeValue(_ operations: BatchOperations) -> Bool {
        for operation in operations where thresholds.takes(operation.value.count, in: operation.namespace) {
            return true
        }
        return false
    }

    /// Commits a put of a large value.
    @inline(never)
    func commitLarge(
        _ namespace: NamespaceID, _ key: Bytes, _ kind: EntryKind, _ expiry: Int64, _ value: Bytes,
        _ durability: Durability
    ) throws(StorageError) {
        var encoder = BatchEncoder()
        var values = LargeValues()
        values.append(namespace, key, kind, expiry, value, to: &encoder)
        try commit(&encoder, values, durability)
    }

    /// Commits a batch with large values. The batch that is logged has references in their places.
    @inline(never)
    func commitSeparated(
        _ operations: BatchOperations, _ durability: Durability, check: (() throws(StorageError) -> Void)?
    ) throws(StorageError) {
        var encoder = BatchEncoder()
        var values = LargeValues()
        for operation in operations {
            if thresholds.takes(operation.value.count, in: operation.namespace) {
                values.append(
                    operation.namespace, operation.userKey, operation.kind, operation.expiry, operation.value,
                    to: &encoder)
            } else {
                encoder.append(
                    namespace: operation.namespace, key: operation.userKey, kind: operation.kind,
                    expiry: operation.expiry, value: operation.value)
            }
        }
        try commit(&encoder, values, durability, check: check)
    }
}
