public import ShaleBase
import ShaleMemtable

/// Mutations that take effect together: all of them or none, for readers and after any fault, over any namespaces.
///
/// A batch is built as the bytes that the log will hold, so committing copies it once. Later operations on a key win.
/// Not thread-safe; use it from one thread at a time. At most 64 MiB.
///
/// ```swift
/// var batch = WriteBatch()
/// try batch.put(value, forKey: key, in: orders)
/// try batch.delete(oldKey, in: index)
/// try engine.write(batch)
/// ```
public struct WriteBatch: ~Copyable {
    var encoder = BatchEncoder()

    public init() {}

    /// Operations so far.
    public var count: Int { encoder.count }

    public var isEmpty: Bool { encoder.count == 0 }

    /// Bytes that it will take in the log, framing aside.
    public var byteCount: Int { encoder.byteCount }

    /// Adds a put. Throws `.invalidArgument` when key, value or batch are over their limits. Amortised O(key + value).
    public mutating func put(
        _ value: RawSpan, forKey key: RawSpan, in namespace: NamespaceID, _ options: PutOptions = .init()
    ) throws(StorageError) {
        try unsafe value.withUnsafeBytes { (value) throws(StorageError) in
            try unsafe key.withUnsafeBytes { (key) throws(StorageError) in
                try append(unsafe Bytes(key), unsafe Bytes(value), options.kind, options.expiryMilliseconds, namespace)
            }
        }
    }

    /// Adds a delete, whether or not the key is there.
    public mutating func delete(_ key: RawSpan, in namespace: NamespaceID) throws(StorageError) {
        try unsafe key.withUnsafeBytes { (key) throws(StorageError) in
            try append(unsafe Bytes(key), .empty, .delete, 0, namespace)
        }
    }

    /// Forgets all operations and keeps the memory.
    public mutating func removeAll() { encoder.removeAll() }

    private mutating func append(
        _ key: Bytes, _ value: Bytes, _ kind: EntryKind, _ expiry: Int64, _ namespace: NamespaceID
    ) throws(StorageError) {
        try checkEntry(key, value)
        let size = BatchFormat.encodedSize(keyBytes: key.count, valueBytes: value.count, kind: kind)
        guard encoder.byteCount + size <= FormatLimits.batchBytes else {
            throw .invalid("the batch would pass its limit=\(FormatLimits.batchBytes)")
        }
        encoder.append(namespace: namespace, key: key, kind: kind, expiry: expiry, value: value)
    }
}

/// How a value is stored.
public struct PutOptions: Sendable, Hashable {
    /// Whether a purge may take the entry. The last write decides.
    public var isPurgeable: Bool
    /// When the entry ceases to be there, in milliseconds since 1970; `nil` = never.
    public var expiresAtMilliseconds: Int64?

    public init(isPurgeable: Bool = false, expiresAtMilliseconds: Int64? = nil) {
        self.isPurgeable = isPurgeable
        self.expiresAtMilliseconds = expiresAtMilliseconds
    }

    var kind: EntryKind { .put(purgeable: isPurgeable, hasExpiry: expiresAtMilliseconds != nil) }
    var expiryMilliseconds: Int64 { expiresAtMilliseconds ?? 0 }
}

@inline(__always)
func checkEntry(_ key: Bytes, _ value: Bytes) throws(StorageError) {
    if key.count > FormatLimits.keyBytes || value.count > FormatLimits.valueBytes {
        throw entryLimitError(key.count, value.count)
    }
}

private func entryLimitError(_ keyCount: Int, _ valueCount: Int) -> StorageError {
    .invalid(
        "an entry is over its limits: key=\(keyCount) of \(FormatLimits.keyBytes), "
            + "value=\(valueCount) of \(FormatLimits.valueBytes)")
}
