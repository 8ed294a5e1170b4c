package import ShaleBase

/// The index's data about one block.
package struct IndexRow: Equatable, Sendable {
    package var handle: BlockHandle
    package var codec: StoredCodec
    package var statistics: BlockStatistics
    /// True if further versions of the block's last key are at the start of the next block.
    package var continues: Bool
    /// The length of the key part without its trailer; 0 if the block is not split.
    package var keyPartLength: UInt32 = 0

    package var isSplit: Bool { keyPartLength > 0 }
}

/// Facts about a block's entries that are known without reading the block: a row of the index.
package struct BlockStatistics: Equatable, Sendable {
    package var entryCount: UInt32 = 0
    package var deleteCount: UInt32 = 0
    package var purgeableCount: UInt32 = 0
    package var expirableCount: UInt32 = 0
    /// The total length of encoded keys and values.
    package var dataBytes: UInt32 = 0
    package var purgeableDataBytes: UInt32 = 0
    package var minSequence: SequenceNumber = 0
    package var maxSequence: SequenceNumber = 0
    /// The highest sequence of a purgeable entry; 0 if no entry is purgeable.
    package var maxPurgeableSequence: SequenceNumber = 0
    /// The extremes of the expiries; 0 if no entry expires.
    package var minExpiry: Int64 = 0
    package var maxExpiry: Int64 = 0
    /// True if a key has more than one version.
    package var hasVersions = false

    package init() {}

    /// Counts one entry. Does not detect versions: the caller sets ``hasVersions``.
    @inline(__always)
    mutating func add(_ trailer: Trailer, expiry: Int64, bytes: Int) {
        let sequence = trailer.sequence
        let kind = trailer.kind
        minSequence = entryCount == 0 ? sequence : min(minSequence, sequence)
        maxSequence = max(maxSequence, sequence)
        entryCount &+= 1
        dataBytes &+= UInt32(truncatingIfNeeded: bytes)
        if kind.isDelete { deleteCount &+= 1 }
        if kind.isPurgeable {
            purgeableCount &+= 1
            purgeableDataBytes &+= UInt32(truncatingIfNeeded: bytes)
            maxPurgeableSequence = max(maxPurgeableSequence, sequence)
        }
        if kind.hasExpiry {
            minExpiry = expirableCount == 0 ? expiry : min(minExpiry, expiry)
            maxExpiry = expirableCount == 0 ? expiry : max(maxExpiry, expiry)
            expirableCount &+= 1
        }
    }
}

/// The columns of a raw index, in file order: DESIGN.md, "Index". On disk, do not change.
///
/// An index of format 2 has one more column, the lengths of key parts, and one more flag.
struct IndexColumns {
    static let headerBytes = 8
    static let bytesPerBlock = 2 + 8 * 4 + 5 * 8 + 1

    static let hasVersions: UInt8 = 1
    /// The codec is in bits 1, 2 and, in format 2, 4.
    private static let codecMask: UInt8 = 6
    private static let valueCode: UInt8 = 16
    static let continues: UInt8 = 8

    static func flags(_ codec: StoredCodec) -> UInt8 { codec == .valueCode ? valueCode : codec.rawValue << 1 }

    /// Returns the codec; `nil` if a later version wrote the flags.
    static func codec(_ flags: UInt8) -> StoredCodec? {
        StoredCodec(rawValue: (flags & codecMask) >> 1 | (flags & valueCode) >> 2)
    }

    static func knownFlags(isSplit: Bool) -> UInt8 { isSplit ? 31 : 15 }

    let separatorLengths: Int
    let storedLengths: Int
    let rawLengths: Int
    let entryCounts: Int
    let deleteCounts: Int
    let purgeableCounts: Int
    let expirableCounts: Int
    let dataBytes: Int
    let purgeableDataBytes: Int
    let minSequences: Int
    let maxSequences: Int
    let maxPurgeableSequences: Int
    let minExpiries: Int
    let maxExpiries: Int
    let flags: Int
    /// The lengths of key parts; `nil` in format 1.
    let keyPartLengths: Int?
    let separators: Int

    init(blockCount n: Int, prefixCount: Int, isSplit: Bool) {
        separatorLengths = IndexColumns.headerBytes + prefixCount
        storedLengths = separatorLengths + 2 * n
        rawLengths = storedLengths + 4 * n
        entryCounts = rawLengths + 4 * n
        deleteCounts = entryCounts + 4 * n
        purgeableCounts = deleteCounts + 4 * n
        expirableCounts = purgeableCounts + 4 * n
        dataBytes = expirableCounts + 4 * n
        purgeableDataBytes = dataBytes + 4 * n
        minSequences = purgeableDataBytes + 4 * n
        maxSequences = minSequences + 8 * n
        maxPurgeableSequences = maxSequences + 8 * n
        minExpiries = maxPurgeableSequences + 8 * n
        maxExpiries = minExpiries + 8 * n
        flags = maxExpiries + 8 * n
        keyPartLengths = isSplit ? flags + n : nil
        separators = flags + (isSplit ? 5 : 1) * n
    }
}
