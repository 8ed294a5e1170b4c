package import ShaleBase

/// The format of a record with a single operation. On disk, do not change: DESIGN.md, "Batch".
///
/// It needs 13 bytes instead of the 28 of batch header and operation header. It omits the constant fields of a batch of
/// one, and the value is the rest of the record.
package enum SingleFormat {
    static let trailerOffset = 0
    static let namespaceOffset = 8
    static let keyCountOffset = 11
    static let fixedBytes = 13
    /// The largest namespace id: ids have 24 bits.
    package static let namespaceMax: UInt32 = 0xff_ffff

    package static func encodedSize(keyBytes: Int, valueBytes: Int, kind: EntryKind) -> Int {
        fixedBytes &+ (kind.hasExpiry ? BatchFormat.expiryBytes : 0) &+ keyBytes &+ valueBytes
    }

    /// Encodes one operation.
    ///
    /// - Parameters:
    ///   - target: Exactly ``encodedSize(keyBytes:valueBytes:kind:)`` long.
    ///   - namespace: At most ``namespaceMax``.
    package static func encode(
        into target: MutableBytes, _ trailer: Trailer, namespace: NamespaceID, key: Bytes, expiry: Int64, value: Bytes
    ) {
        assert(key.count <= FormatLimits.keyBytes && trailer.kind.isKnown && namespace.rawValue <= namespaceMax)
        target.store(trailer.rawValue, at: trailerOffset)
        // The next store overwrites the fourth byte.
        target.store(namespace.rawValue, at: namespaceOffset)
        target.store(UInt16(truncatingIfNeeded: key.count), at: keyCountOffset)
        var offset = fixedBytes
        if trailer.kind.hasExpiry {
            target.store(expiry, at: offset)
            offset &+= BatchFormat.expiryBytes
        }
        target.copy(key, at: offset)
        target.copy(value, at: offset &+ key.count)
    }
}

/// A record with a single operation. The record owns the bytes.
package struct SingleOperation: Sendable {
    package let sequence: SequenceNumber
    package let operation: BatchOperation

    /// Checks bytes of unknown origin. The namespace is not checked for existence.
    package init(validating bytes: Bytes) throws(ParseFailure) {
        guard bytes.count >= SingleFormat.fixedBytes else { throw ParseFailure("an operation is cut short") }
        let trailer = Trailer(rawValue: bytes.u64(at: SingleFormat.trailerOffset))
        let kind = trailer.kind
        guard kind.isKnown else { throw ParseFailure("unknown kind \(kind.rawValue)") }
        guard trailer.sequence > 0 else { throw ParseFailure("sequence 0") }
        // Three bytes of the namespace, and one of the key length.
        let namespace = bytes.u32(at: SingleFormat.namespaceOffset) & SingleFormat.namespaceMax
        let keyCount = Int(bytes.u16(at: SingleFormat.keyCountOffset))
        let keyOffset = SingleFormat.fixedBytes + (kind.hasExpiry ? BatchFormat.expiryBytes : 0)
        let valueCount = bytes.count - keyOffset - keyCount
        guard keyCount <= FormatLimits.keyBytes else { throw ParseFailure("key of \(keyCount) bytes is too long") }
        guard valueCount >= 0 else { throw ParseFailure("key is cut short") }
        guard valueCount == 0 || !kind.isDelete else { throw ParseFailure("delete with a value") }
        guard !kind.isReference || valueCount == FormatLimits.referenceBytes else {
            throw ParseFailure("reference of \(valueCount) bytes")
        }
        sequence = trailer.sequence
        operation = BatchOperation(
            kind: kind, namespace: NamespaceID(rawValue: namespace), userKey: bytes.slice(keyOffset, keyCount),
            value: bytes.slice(keyOffset + keyCount, valueCount),
            expiry: kind.hasExpiry ? bytes.i64(at: SingleFormat.fixedBytes) : 0)
    }

    package func apply(to memtable: Memtable) {
        memtable.insert(
            namespace: operation.namespace, userKey: operation.userKey, trailer: Trailer(sequence, operation.kind),
            expiry: operation.expiry, value: operation.value)
    }
}

/// Operations that are inserted together, so that their cache misses on the way down the tree overlap (``LookAhead``).
///
/// Borrows their bytes. One thread at a time.
@safe
package final class SingleGroup {
    package static var capacity: Int { LookAhead.width }

    private let operations: UnsafeMutablePointer<SingleOperation>
    package private(set) var count = 0
    /// The number of bytes of the operations, as ``Memtable/hasRoom(bytes:operations:)`` counts them.
    package private(set) var byteCount = 0

    package init() { unsafe operations = .allocate(capacity: SingleGroup.capacity) }

    deinit { unsafe operations.deallocate() }

    package var isFull: Bool { count == SingleGroup.capacity }

    /// Adds an operation.
    ///
    /// - Precondition: The group is not full.
    @inline(__always)
    package func append(_ operation: SingleOperation, byteCount: Int) {
        precondition(count < SingleGroup.capacity, "a group of operations is full")
        unsafe (operations + count).initialize(to: operation)
        count &+= 1
        self.byteCount &+= byteCount
    }

    /// Inserts all operations in order and empties the group. The caller has checked for room.
    package func apply(to memtable: Memtable) {
        unsafe memtable.insert(UnsafeBufferPointer(start: operations, count: count))
        count = 0
        byteCount = 0
    }
}
