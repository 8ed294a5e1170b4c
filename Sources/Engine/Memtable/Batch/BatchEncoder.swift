package import ShaleBase

/// Builds a batch in the form the log stores, operation by operation. DESIGN.md, "Batch".
///
/// The encoder does not judge: the caller checks keys, values and the batch against the limits before it appends.
package struct BatchEncoder: ~Copyable {
    private var buffer: ByteBuffer
    /// Operations.
    package private(set) var count = 0

    package init(capacity: Int = 0) {
        buffer = ByteBuffer(capacity: max(capacity, BatchFormat.headerBytes))
        buffer.extend(BatchFormat.headerBytes).zero(0, BatchFormat.headerBytes)
    }

    /// The whole batch, header included.
    package var byteCount: Int { buffer.count }

    /// The batch as the log stores it, valid at any time. Lent until the next change.
    package var bytes: Bytes { buffer.bytes }

    /// The same, for filling in the base sequence in place.
    package var mutableBytes: MutableBytes { buffer.mutableBytes }

    /// The operations appended so far. Lent until the next change.
    package var operations: BatchOperations { BatchOperations(validated: buffer.bytes) }

    /// - Parameter expiry: milliseconds since 1970; ignored unless the kind has one.
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

    /// Starts again with an empty batch, keeping the memory.
    package mutating func removeAll() {
        buffer.removeAll()
        buffer.extend(BatchFormat.headerBytes).zero(0, BatchFormat.headerBytes)
        count = 0
    }
}
