public import ShaleBase
import ShaleMemtable

/// Mutations that take effect together, over any namespaces. Readers see all of them or none, also after a crash.
///
/// A batch is built in the log's format, so committing copies it once. Later operations on a key win. At most 64 MiB.
/// Not thread-safe: use a batch from one thread at a time.
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

    /// Makes a batch with room for this number of bytes.
    init(capacity: Int) { encoder = BatchEncoder(capacity: capacity) }

    /// The number of operations so far.
    public var count: Int { encoder.count }

    public var isEmpty: Bool { encoder.count == 0 }

    /// The number of bytes that the batch takes in the log, without framing.
    public var byteCount: Int { encoder.byteCount }

    /// Adds a put.
    ///
    /// - Throws: `.invalidArgument` if key, value or batch exceed their limits.
    /// - Complexity: O(key + value), amortised.
    public mutating func put(
        _ value: RawSpan, forKey key: RawSpan, in namespace: NamespaceID, options: PutOptions = .init()
    ) throws(StorageError) {
        try unsafe value.withUnsafeBytes { (value) throws(StorageError) in
            try unsafe key.withUnsafeBytes { (key) throws(StorageError) in
                try append(unsafe Bytes(key), unsafe Bytes(value), options.kind, options.expiryMilliseconds, namespace)
            }
        }
    }

    /// Adds a delete. The key does not have to exist.
    public mutating func delete(_ key: RawSpan, in namespace: NamespaceID) throws(StorageError) {
        try unsafe key.withUnsafeBytes { (key) throws(StorageError) in
            try append(unsafe Bytes(key), .empty, .delete, 0, namespace)
        }
    }

    /// Removes all operations and keeps the memory.
    public mutating func removeAll() { encoder.removeAll() }

    private mutating func append(
        _ key: Bytes, _ value: Bytes, _ kind: EntryKind, _ expiry: Int64, _ namespace: NamespaceID
    ) throws(StorageError) {
        try checkEntry(key, value)
        let size = BatchFormat.encodedSize(keyBytes: key.count, valueBytes: value.count, kind: kind)
        guard encoder.byteCount + size <= FormatLimits.batchBytes else {
            throw .invalid("the batch would exceed its limit=\(FormatLimits.batchBytes)")
        }
        encoder.append(namespace: namespace, key: key, kind: kind, expiry: expiry, value: value)
    }
}

/// The storage options of a value.
public struct PutOptions: Sendable, Hashable {
    /// True if a purge may remove the entry. The last write of a key decides.
    public var isPurgeable: Bool
    /// The time at which the entry expires, in milliseconds since 1970; `nil` = never.
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

/// The failures that a write survives after it has returned.
public enum Durability: Sendable, Hashable {
    /// Survives the death of the process at any instruction.
    ///
    /// The batch is in the operating system's page cache, stored through a mapping of the log or written by `pwrite`.
    ///
    /// A power loss may take the newest buffered batches, but never a batch while a later one stays.
    /// ``Engine/Options/syncInterval`` bounds the loss.
    case buffered
    /// Survives a power loss.
    ///
    /// The log was made durable by `fdatasync` (`F_FULLFSYNC` on Darwin), with everything before this batch. Concurrent
    /// batches share one sync.
    case synced
}
