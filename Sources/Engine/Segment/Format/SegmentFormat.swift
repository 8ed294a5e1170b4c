import ShaleBase

/// Constants of the segment format. On disk, do not change: DESIGN.md, "Segment".
@usableFromInline
package enum SegmentFormat {
    /// The newest version. ``SegmentFeatures/formatVersion`` is that of a segment.
    static let versionMax: UInt16 = 2
    /// "SHALESEG" read as a little-endian word.
    static let magic: UInt64 = 0x4745_5345_4C41_4853
    static let footerBytes = 96
    /// The size of codec, type, zero and checksum after every stored block.
    package static let blockTrailerBytes = 12
    static let checksumKind: UInt8 = 1

    /// The largest block, raw or stored. Checked before memory is allocated.
    package static let rawBlockBytesMax = 64 << 20
    /// The largest encoded key: namespace id and 16 KiB of user key.
    package static let encodedKeyBytesMax = 4 + 16_384
    /// Versions of one key stay in one block up to this size.
    static let versionsBytesMax = 1 << 20
    /// The largest number of entries of a block, which bounds the memory for parsing it. A writer cuts blocks at
    /// `versionsBytesMax` at the latest, and each entry takes at least a byte.
    static let blockEntriesMax = 2 << 20
    /// The largest dictionary, raw or stored.
    static let dictionaryBytesMax = 128 << 10
}

/// The content type of a stored block. On disk, do not change.
enum BlockType: UInt8 {
    case data = 1
    case filter = 2
    case index = 3
    case directory = 4
    case properties = 5
    case dictionary = 6
    case valueCode = 7
    /// The key part of a split data block.
    case keyPart = 8
}

/// The compression of a stored block. On disk, do not change.
package enum StoredCodec: UInt8, Sendable {
    case none = 0
    case lz4 = 1
    case zstd = 2
    /// A zstd frame that needs its slice's dictionary.
    case zstdDictionary = 3
    /// Values one by one in their slice's value code; only in split blocks.
    case valueCode = 4
}

/// A writer's compression of blocks.
package enum BlockCodec: Sendable, Equatable {
    case none
    case lz4
    /// A zstd level; negative levels are the fast ones.
    case zstd(level: Int32)
}

/// The name of a segment file in its directory: the number in decimal, with at least ten digits.
package enum SegmentFileName {
    package static func make(_ number: UInt64) -> String { number.fileNumberDigits + ".seg" }
}
