package import ShaleBase

/// The format of a batch in a log record. On disk, do not change: DESIGN.md, "Batch".
package enum BatchFormat {
    package static let headerBytes = 16
    static let sequenceOffset = 0
    static let countOffset = 8
    static let flagsOffset = 12

    /// The fixed fields of an operation: kind u8, 0 u8, user key length u16, namespace u32, value length u32.
    static let operationBytes = 12
    static let expiryBytes = 8

    /// Returns the number of bytes that one operation takes in a batch.
    package static func encodedSize(keyBytes: Int, valueBytes: Int, kind: EntryKind) -> Int {
        operationBytes &+ (kind.hasExpiry ? expiryBytes : 0) &+ keyBytes &+ valueBytes
    }

    /// Encodes one operation.
    ///
    /// - Parameter target: Exactly ``encodedSize(keyBytes:valueBytes:kind:)`` long.
    static func encodeOperation(
        into target: MutableBytes, namespace: NamespaceID, key: Bytes, kind: EntryKind, expiry: Int64, value: Bytes
    ) {
        assert(key.count <= FormatLimits.keyBytes && value.count <= FormatLimits.valueBytes && kind.isKnown)
        assert(target.count == encodedSize(keyBytes: key.count, valueBytes: value.count, kind: kind))
        target.store(kind.rawValue, at: 0)
        target.store(UInt8(0), at: 1)
        target.store(UInt16(truncatingIfNeeded: key.count), at: 2)
        target.store(namespace.rawValue, at: 4)
        target.store(UInt32(truncatingIfNeeded: value.count), at: 8)
        var offset = operationBytes
        if kind.hasExpiry {
            target.store(expiry, at: offset)
            offset &+= expiryBytes
        }
        target.copy(key, at: offset)
        target.copy(value, at: offset &+ key.count)
    }

    /// Sets the sequence of the first operation, which is known only at the commit.
    package static func setBaseSequence(_ sequence: SequenceNumber, in batch: MutableBytes) {
        batch.store(sequence, at: sequenceOffset)
    }

    static func setCount(_ count: Int, in batch: MutableBytes) {
        batch.store(UInt32(truncatingIfNeeded: count), at: countOffset)
    }

    /// Inserts a validated batch with a base sequence other than its own.
    package static func apply(_ batch: Bytes, baseSequence: SequenceNumber, to memtable: Memtable) {
        BatchOperations(validated: batch).apply(to: memtable, from: baseSequence)
    }
}

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
