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

    /// True if format 1 defines this kind.
    ///
    /// Reserved operations (2 range delete, 3 separated value, 4 merge) and reserved bits are unknown. A reader treats
    /// an unknown kind as corruption and never skips it.
    @inlinable
    package var isKnown: Bool {
        let operation = rawValue & EntryKind.operationMask
        if operation == 0 { return rawValue == 0 }
        return operation == 1 && rawValue & 0xc0 == 0
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
