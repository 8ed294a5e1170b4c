package import ShaleBase

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
