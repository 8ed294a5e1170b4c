package import ShaleBase

/// One mutation of a batch. The batch owns the bytes.
package struct BatchOperation: Sendable {
    package let kind: EntryKind
    package let namespace: NamespaceID
    package let userKey: Bytes
    package let value: Bytes
    /// Milliseconds since 1970; 0 unless the kind has an expiry.
    package let expiry: Int64
}

extension BatchOperation {
    /// Reads the operation at an offset of a validated batch.
    @inline(__always)
    package init(in batch: Bytes, at offset: Int) {
        var offset = offset
        self.init(in: batch, at: &offset)
    }

    /// Reads the operation at an offset of a validated batch, and moves the offset behind it.
    @inline(__always)
    init(in bytes: Bytes, at offset: inout Int) {
        kind = EntryKind(rawValue: bytes[offset])
        let keyCount = Int(bytes.u16(at: offset &+ 2))
        namespace = NamespaceID(rawValue: bytes.u32(at: offset &+ 4))
        let valueCount = Int(bytes.u32(at: offset &+ 8))
        offset &+= BatchFormat.operationBytes
        if kind.hasExpiry {
            expiry = bytes.i64(at: offset)
            offset &+= BatchFormat.expiryBytes
        } else {
            expiry = 0
        }
        userKey = bytes.slice(offset, keyCount)
        value = bytes.slice(offset &+ keyCount, valueCount)
        offset &+= keyCount &+ valueCount
    }
}

/// The operations of a batch that was validated once, so that iterating needs no checks.
///
/// Borrows the batch's bytes.
package struct BatchOperations: Sequence, Sendable {
    package let bytes: Bytes

    /// The sequence of the first operation; 0 in an uncommitted batch.
    package var baseSequence: SequenceNumber { bytes.u64(at: BatchFormat.sequenceOffset) }
    package var count: Int { Int(bytes.u32(at: BatchFormat.countOffset)) }
    /// The sequence of the last operation.
    package var lastSequence: SequenceNumber { baseSequence &+ SequenceNumber(count) &- 1 }

    /// Wraps bytes of a ``BatchEncoder``, or bytes that were validated before.
    package init(validated bytes: Bytes) {
        assert(bytes.count >= BatchFormat.headerBytes)
        self.bytes = bytes
    }

    /// Checks bytes of unknown origin: header, count, all lengths and kinds, and reserved fields. The batch must have
    /// an operation and end with its last one. Namespaces are not checked for existence.
    package init(validating bytes: Bytes) throws(ParseFailure) {
        var reader = ByteReader(bytes)
        let base = try reader.u64("base sequence")
        let count = try reader.u32("operation count")
        guard try reader.u32("batch flags") == 0 else { throw ParseFailure("unknown batch flags") }
        guard count > 0 else { throw ParseFailure("a batch without operations") }
        guard base > 0, base <= Trailer.sequenceMax - UInt64(count - 1) else {
            throw ParseFailure("base sequence \(base) with \(count) operations is out of range")
        }
        // Each round consumes bytes or throws, so a huge count costs nothing.
        for index in 0..<count {
            do throws(ParseFailure) {
                try BatchOperations.checkOperation(&reader)
            } catch {
                throw ParseFailure("operation \(index) of \(count): \(error.reason)")
            }
        }
        guard reader.isAtEnd else { throw ParseFailure("\(reader.remaining) bytes behind the last operation") }
        self.bytes = bytes
    }

    private static func checkOperation(_ reader: inout ByteReader) throws(ParseFailure) {
        let kind = EntryKind(rawValue: try reader.u8("kind"))
        guard kind.isKnown else { throw ParseFailure("unknown kind \(kind.rawValue)") }
        guard try reader.u8("reserved byte") == 0 else { throw ParseFailure("reserved byte is set") }
        let keyCount = Int(try reader.u16("key length"))
        guard keyCount <= FormatLimits.keyBytes else { throw ParseFailure("key of \(keyCount) bytes is too long") }
        _ = try reader.u32("namespace")
        let valueCount = Int(try reader.u32("value length"))
        guard valueCount <= FormatLimits.valueBytes else {
            throw ParseFailure("value of \(valueCount) bytes is too long")
        }
        guard valueCount == 0 || !kind.isDelete else { throw ParseFailure("delete with a value") }
        guard !kind.isReference || valueCount == FormatLimits.referenceBytes else {
            throw ParseFailure("reference of \(valueCount) bytes")
        }
        if kind.hasExpiry { _ = try reader.i64("expiry") }
        _ = try reader.slice(keyCount, "key")
        _ = try reader.slice(valueCount, "value")
    }

    package func makeIterator() -> Iterator { Iterator(bytes: bytes, remaining: count) }

    /// Iterates over the operations without checks.
    package struct Iterator: IteratorProtocol {
        private let bytes: Bytes
        private var offset = BatchFormat.headerBytes
        private var remaining: Int

        init(bytes: Bytes, remaining: Int) {
            self.bytes = bytes
            self.remaining = remaining
        }

        package mutating func next() -> BatchOperation? {
            guard remaining > 0 else { return nil }
            remaining &-= 1
            return BatchOperation(in: bytes, at: &offset)
        }
    }
}

extension BatchOperations {
    /// Inserts all operations with the batch's own sequences.
    package func apply(to memtable: Memtable) { apply(to: memtable, from: baseSequence) }

    /// Inserts all operations; operation *i* gets sequence `base` + *i*. The rules of ``Memtable`` apply: one writer,
    /// which has checked for room.
    package func apply(to memtable: Memtable, from base: SequenceNumber) {
        memtable.insert(self, from: base)
    }
}

/// A batch in a log record, in either of its formats.
package enum LoggedBatch: Sendable {
    case batch(BatchOperations)
    case single(SingleOperation)

    /// Checks bytes of unknown origin. `isSingle` is true for the format of a single operation.
    @inline(__always)
    package init(validating bytes: Bytes, isSingle: Bool) throws(ParseFailure) {
        self =
            if isSingle {
                .single(try SingleOperation(validating: bytes))
            } else {
                .batch(try BatchOperations(validating: bytes))
            }
    }

    /// The number of operations.
    package var count: Int {
        switch self {
        case .batch(let batch): batch.count
        case .single: 1
        }
    }

    /// The sequence of the first operation.
    package var baseSequence: SequenceNumber {
        switch self {
        case .batch(let batch): batch.baseSequence
        case .single(let single): single.sequence
        }
    }

    /// The sequence of the last operation.
    package var lastSequence: SequenceNumber { baseSequence &+ SequenceNumber(count) &- 1 }

    /// Returns the first operation's namespace with an id of at least `limit`; nil if there is none.
    package func firstNamespace(from limit: UInt32) -> NamespaceID? {
        switch self {
        case .batch(let batch):
            for operation in batch where operation.namespace.rawValue >= limit { return operation.namespace }
            return nil
        case .single(let single):
            return single.operation.namespace.rawValue >= limit ? single.operation.namespace : nil
        }
    }
}
