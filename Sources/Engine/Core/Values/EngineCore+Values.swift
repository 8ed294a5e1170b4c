import ShaleBase
import ShaleMemtable
import ShalePlatform
import ShaleSegment
import ShaleValues

extension FoundEntry {
    /// Returns the reference that is stored in the place of the value.
    func reference() throws(StorageError) -> ValueReference {
        do {
            return try ValueReference(decoding: value)
        } catch {
            throw .corruption(error.reason)
        }
    }
}

/// Large values in reads.
extension EngineCore {
    var valueSource: ValueSource { ValueSource(segmentEnvironment.values, in: directories.segments) }

    /// Passes an entry to `body` with the value to which it refers. The caller is pinned, or holds the entry's source.
    @inline(never)
    func withLargeValue<R>(
        of found: FoundEntry, _ body: (FoundEntry) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        let value = try largeValue(of: found)
        defer { withExtendedLifetime(value) {} }
        return try body(
            FoundEntry(
                trailer: Trailer(found.trailer.sequence, found.trailer.kind.ofValue), expiry: found.expiry,
                value: value.bytes))
    }

    /// Returns the value to which an entry refers.
    func largeValue(of found: FoundEntry) throws(StorageError) -> OwnedBytes {
        try valueSource.read(try found.reference())
    }
}

/// Large values in writes.
extension EngineCore {
    func hasLargeValue(_ operations: BatchOperations) -> Bool {
        for operation in operations where operation.value.count >= largeValueBytes { return true }
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
            if operation.value.count >= largeValueBytes {
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
