import ShaleBase

/// The first byte of a value in a compact document. On disk, do not change: Shale.docc, "Compact documents".
enum CompactKind {
    static let null: UInt8 = 0x00
    static let no: UInt8 = 0x01
    static let yes: UInt8 = 0x02
    /// binary64.
    static let double: UInt8 = 0x03
    /// binary32.
    static let float: UInt8 = 0x04
    /// Seconds since 2001-01-01 UTC, binary64.
    static let date: UInt8 = 0x05
    static let uuid: UInt8 = 0x06
    /// An integer of 128 bits in two's complement, outside of the range of 64 bits.
    static let wide: UInt8 = 0x07
    /// An integer of 128 bits without a sign, above the largest ``wide`` one.
    static let unsignedWide: UInt8 = 0x08

    // Followed by a length u32.
    static let text: UInt8 = 0x09
    static let bytes: UInt8 = 0x0A
    /// The absolute string of a URL in UTF-8.
    static let url: UInt8 = 0x0B
    /// Elements.
    static let array: UInt8 = 0x0C
    /// Fields, each a name, which is a text, and a value.
    static let object: UInt8 = 0x0D

    /// The first of 8 kinds: n in 1 … 8 bytes.
    static let positive: UInt8 = 0x10
    /// The first of 8 kinds: -1 - n in 1 … 8 bytes.
    static let negative: UInt8 = 0x18
    /// The first of 64 kinds: the integers 0 … 63.
    static let small: UInt8 = 0x40
    /// The first of 64 kinds: texts of 0 … 63 bytes.
    static let shortText: UInt8 = 0x80
    /// The first kind that no value has.
    static let end: UInt8 = 0xC0
    /// The largest integer, and the largest length of a text, that a kind contains.
    static let smallMax: UInt8 = 63
}

/// The limits of compact documents, for their writer and all readers.
enum CompactLimits {
    /// The maximum nesting of arrays and objects.
    static let depthMax = 255
    /// The maximum number of values, including containers and names of fields.
    static let valuesMax = 1 << 22
    /// The size up to which documents are read and written without counting their values first. Each value takes a
    /// byte at least, so they can't exceed ``valuesMax``.
    static let smallBytes = 1 << 20
    /// The bytes of a container before its content: kind and length.
    static let headerBytes = 5
}

extension StorageError {
    /// Returns an error for bytes that are no compact document.
    static func badDocument(_ failure: ParseFailure) -> StorageError {
        .corruption("a compact document is not valid: \(failure.reason)")
    }
}
