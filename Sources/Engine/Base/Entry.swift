/// The entry at a cursor's position: one version of one key, borrowed.
///
/// Its pointers stay valid until the cursor that filled the run fills its next run.
///
/// Sendable, because it is a value whose pointers are only read, under the rules of ``Bytes``: no thread writes the
/// memory of a key or value that a run contains.
@safe @frozen
@usableFromInline
package struct Entry: @unchecked Sendable {
    /// The eight key bytes after the merge's common prefix: see `Bytes.head(at:)`.
    @usableFromInline package var head: UInt64
    @usableFromInline package var trailer: Trailer
    /// Expiry in milliseconds since 1970; 0 unless `trailer`'s kind has an expiry.
    @usableFromInline package var expiry: Int64
    @usableFromInline var keyStart: UnsafeRawPointer
    @usableFromInline var valueStart: UnsafeRawPointer
    @usableFromInline var keyCount: UInt32
    @usableFromInline var valueCount: UInt32

    @inlinable @inline(__always)
    package init(head: UInt64, key: Bytes, trailer: Trailer, expiry: Int64, value: Bytes) {
        self.head = head
        self.trailer = trailer
        self.expiry = expiry
        unsafe keyStart = key.start
        unsafe valueStart = value.start
        keyCount = UInt32(truncatingIfNeeded: key.count)
        valueCount = UInt32(truncatingIfNeeded: value.count)
    }

    /// The encoded key: namespace id ‖ user key.
    @inlinable @inline(__always)
    package var key: Bytes { unsafe Bytes(start: keyStart, count: Int(keyCount)) }

    @inlinable @inline(__always)
    package var value: Bytes { unsafe Bytes(start: valueStart, count: Int(valueCount)) }

    @inlinable @inline(__always)
    package var userKey: Bytes { key.suffix(from: EncodedKey.namespaceWidth) }

    /// Orders entries as every source does: by ascending key, then by descending sequence.
    @inlinable @inline(__always)
    package static func isBefore(_ a: borrowing Entry, _ b: borrowing Entry) -> Bool {
        if a.head != b.head { return a.head < b.head }
        let order = Bytes.compare(a.key, b.key)
        return order != 0 ? order < 0 : a.trailer.rawValue > b.trailer.rawValue
    }
}

/// A position in the engine-wide order of mutations.
///
/// Sequence 0 stands for "before everything"; the first mutation of a store has sequence 1. Sequences use 56 bits.
public typealias SequenceNumber = UInt64

/// The kind of an entry: its operation and flags. On disk, do not change: DESIGN.md, "Keys and trailers".
@frozen
@usableFromInline
package struct EntryKind: RawRepresentable, Equatable, Sendable {
    @usableFromInline package let rawValue: UInt8

    @inlinable @inline(__always)
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    @inlinable package static var delete: EntryKind { EntryKind(rawValue: 0) }
    @inlinable package static var put: EntryKind { EntryKind(rawValue: 1) }

    @inlinable package static var operationMask: UInt8 { 0x0f }
    @inlinable package static var expiryFlag: UInt8 { 0x10 }
    @inlinable package static var purgeableFlag: UInt8 { 0x20 }

    @inlinable
    package static func put(purgeable: Bool, hasExpiry: Bool) -> EntryKind {
        EntryKind(rawValue: 1 | (purgeable ? purgeableFlag : 0) | (hasExpiry ? expiryFlag : 0))
    }

    @inlinable @inline(__always)
    package var isDelete: Bool { rawValue & EntryKind.operationMask == 0 }

    @inlinable @inline(__always)
    package var hasExpiry: Bool { rawValue & EntryKind.expiryFlag != 0 }

    @inlinable @inline(__always)
    package var isPurgeable: Bool { rawValue & EntryKind.purgeableFlag != 0 }

    /// The bit that turns a put into a put of a reference, whose value is in a value file.
    @inlinable package static var referenceFlag: UInt8 { 0x02 }

    /// True if the entry's value is a reference to a value file. The kind must be known: of the known operations only
    /// this one has the bit, so reads test it alone.
    @inlinable @inline(__always)
    package var isReference: Bool { rawValue & EntryKind.referenceFlag != 0 }

    /// The kind of the same put with a reference to its value.
    package var ofReference: EntryKind { EntryKind(rawValue: rawValue | EntryKind.referenceFlag) }

    /// The kind of the same put with its value.
    package var ofValue: EntryKind { EntryKind(rawValue: rawValue & ~EntryKind.referenceFlag) }

    /// True if the format defines this kind.
    ///
    /// Reserved operations (2 range delete, 4 merge) and reserved bits are unknown. A reader treats an unknown kind as
    /// corruption and never skips it.
    @inlinable
    package var isKnown: Bool {
        let operation = rawValue & EntryKind.operationMask
        if operation == 0 { return rawValue == 0 }
        return operation & ~EntryKind.referenceFlag == 1 && rawValue & 0xc0 == 0
    }
}

/// Sequence and kind of an entry in one word: sequence << 8 | kind.
///
/// Entries of one key are ordered by descending trailer.
@frozen
@usableFromInline
package struct Trailer: RawRepresentable, Equatable, Sendable {
    @usableFromInline package let rawValue: UInt64

    @inlinable @inline(__always)
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    @inlinable @inline(__always)
    package init(_ sequence: SequenceNumber, _ kind: EntryKind) {
        rawValue = sequence &<< 8 | UInt64(kind.rawValue)
    }

    @inlinable @inline(__always)
    package var sequence: SequenceNumber { rawValue &>> 8 }

    @inlinable @inline(__always)
    package var kind: EntryKind { EntryKind(rawValue: UInt8(truncatingIfNeeded: rawValue)) }

    @inlinable package static var sequenceMax: SequenceNumber { (1 << 56) - 1 }
}

/// The newest version of a key that a search found, borrowed: `value` is valid as long as the reader's pin.
@frozen
@usableFromInline
package struct FoundEntry: Sendable {
    @usableFromInline package let trailer: Trailer
    @usableFromInline package let expiry: Int64
    @usableFromInline package let value: Bytes

    @inlinable @inline(__always)
    package init(trailer: Trailer, expiry: Int64, value: Bytes) {
        self.trailer = trailer
        self.expiry = expiry
        self.value = value
    }
}
