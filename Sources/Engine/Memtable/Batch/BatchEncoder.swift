package import ShaleBase

/// Builds a batch in the log's format, operation by operation. DESIGN.md, "Batch".
///
/// The encoder checks no limits: the caller checks keys, values and the batch before appending.
package struct BatchEncoder: ~Copyable {
    private var buffer: ByteBuffer
    /// The number of operations.
    package private(set) var count = 0

    package init(capacity: Int = 0) {
        buffer = ByteBuffer(capacity: max(capacity, BatchFormat.headerBytes))
        buffer.extend(BatchFormat.headerBytes).zero(0, BatchFormat.headerBytes)
    }

    /// The size of the whole batch, including the header.
    package var byteCount: Int { buffer.count }

    /// The batch in the log's format, complete at any time. Valid until the next change.
    package var bytes: Bytes { buffer.bytes }

    /// The same bytes, for setting the base sequence in place.
    package var mutableBytes: MutableBytes { buffer.mutableBytes }

    /// The operations appended so far. Valid until the next change.
    package var operations: BatchOperations { BatchOperations(validated: buffer.bytes) }

    /// Appends an operation.
    ///
    /// - Parameter expiry: Milliseconds since 1970; ignored unless the kind has an expiry.
    package mutating func append(
        namespace: NamespaceID, key: Bytes, kind: EntryKind, expiry: Int64, value: Bytes
    ) {
        let size = BatchFormat.encodedSize(keyBytes: key.count, valueBytes: value.count, kind: kind)
        BatchFormat.encodeOperation(
            into: buffer.extend(size), namespace: namespace, key: key, kind: kind, expiry: expiry, value: value)
        count += 1
        BatchFormat.setCount(count, in: buffer.mutableBytes)
    }

    package mutating func put(
        _ namespace: NamespaceID, _ key: Bytes, _ value: Bytes, isPurgeable: Bool = false, expiry: Int64? = nil
    ) {
        let kind = EntryKind.put(purgeable: isPurgeable, hasExpiry: expiry != nil)
        append(namespace: namespace, key: key, kind: kind, expiry: expiry ?? 0, value: value)
    }

    package mutating func delete(_ namespace: NamespaceID, _ key: Bytes) {
        append(namespace: namespace, key: key, kind: .delete, expiry: 0, value: .empty)
    }

    package mutating func setBaseSequence(_ sequence: SequenceNumber) {
        BatchFormat.setBaseSequence(sequence, in: buffer.mutableBytes)
    }

    /// Removes all operations and keeps the memory.
    package mutating func removeAll() {
        buffer.removeAll()
        buffer.extend(BatchFormat.headerBytes).zero(0, BatchFormat.headerBytes)
        count = 0
    }
}
