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
