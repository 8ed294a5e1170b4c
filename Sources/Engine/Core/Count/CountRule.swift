import ShaleBase
import ShaleManifest
import ShaleSegment

/// The visibility rule of one read point, for entries of which only statistics are known.
struct CountRule {
    let readPoint: ReadPoint
    let truncatedThrough: SequenceNumber
    let purgedThrough: SequenceNumber

    func isPresent(_ trailer: Trailer, expiry: Int64) -> Bool {
        Visibility.isPresent(
            trailer, expiry: expiry, truncatedThrough: truncatedThrough, purgedThrough: purgedThrough,
            wallMilliseconds: readPoint.wallMilliseconds)
    }

    /// Returns how many of the entries the read point sees, or `nil` if the entries have to be read. Each entry has a
    /// key of its own.
    ///
    /// It follows ``Visibility``, which shows a put that is not too new, erased or expired. The extremes decide each of
    /// these three for all entries, or leave it undecided. An entry may be both purged and expired, so the count is
    /// undecided if both remove entries.
    func visibleCount(_ part: EntryStatistics) -> Int? {
        let puts = part.entries - part.deletes
        if puts == 0 || part.maxSequence <= truncatedThrough { return 0 }
        guard part.maxSequence <= readPoint.sequence, part.minSequence > truncatedThrough else { return nil }
        let purged: Int
        if part.purgeable == 0 || part.minSequence > purgedThrough {
            purged = 0
        } else {
            guard part.maxPurgeableSequence <= purgedThrough else { return nil }
            purged = part.purgeable
        }
        let expired: Int
        if part.expirable == 0 || part.minExpiry > readPoint.wallMilliseconds {
            expired = 0
        } else {
            guard part.maxExpiry <= readPoint.wallMilliseconds else { return nil }
            expired = part.expirable
        }
        return purged == 0 || expired == 0 ? puts - purged - expired : nil
    }
}

/// The statistics of a block or a slice that decide how many of its entries are visible.
struct EntryStatistics {
    let entries: Int
    let deletes: Int
    let purgeable: Int
    let expirable: Int
    let minSequence: SequenceNumber
    let maxSequence: SequenceNumber
    let maxPurgeableSequence: SequenceNumber
    let minExpiry: Int64
    let maxExpiry: Int64

    init(_ block: BlockStatistics) {
        entries = Int(block.entryCount)
        deletes = Int(block.deleteCount)
        purgeable = Int(block.purgeableCount)
        expirable = Int(block.expirableCount)
        minSequence = block.minSequence
        maxSequence = block.maxSequence
        maxPurgeableSequence = block.maxPurgeableSequence
        minExpiry = block.minExpiry
        maxExpiry = block.maxExpiry
    }

    init(_ slice: SliceRecord) {
        // Parsers bound a slice's counts by `FormatLimits.segmentTotal`.
        entries = Int(slice.entryCount)
        deletes = Int(slice.deleteCount)
        purgeable = Int(slice.purgeableCount)
        expirable = Int(slice.expirableCount)
        minSequence = slice.minSequence
        maxSequence = slice.maxSequence
        maxPurgeableSequence = slice.maxPurgeableSequence
        minExpiry = slice.minExpiry
        maxExpiry = slice.maxExpiry
    }
}
