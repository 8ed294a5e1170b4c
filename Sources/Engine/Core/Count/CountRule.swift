import ShaleBase
import ShaleManifest
import ShaleSegment

/// What one observer sees of entries that are known by their statistics only.
struct CountRule {
    let observer: Observer
    let truncatedThrough: SequenceNumber
    let purgedThrough: SequenceNumber

    func isPresent(_ trailer: Trailer, expiry: Int64) -> Bool {
        Visibility.isPresent(
            trailer, expiry: expiry, truncatedThrough: truncatedThrough, purgedThrough: purgedThrough,
            wallMilliseconds: observer.wallMilliseconds)
    }

    /// The number of entries that the observer sees, of entries that each have a key of their own; `nil` if it takes
    /// reading them.
    ///
    /// It follows ``Visibility``, which shows a put that is not too new, erased or expired. Each of these three is decided for
    /// all entries by their extremes, or it is undecided. Entries that are purged and expire may be both, so only one of
    /// the two may take any away.
    func visibleCount(_ part: EntryStatistics) -> Int? {
        let puts = part.entries - part.deletes
        if puts == 0 || part.maxSequence <= truncatedThrough { return 0 }
        guard part.maxSequence <= observer.sequence, part.minSequence > truncatedThrough else { return nil }
        let purged: Int
        if part.purgeable == 0 || part.minSequence > purgedThrough {
            purged = 0
        } else {
            guard part.maxPurgeableSequence <= purgedThrough else { return nil }
            purged = part.purgeable
        }
        let expired: Int
        if part.expirable == 0 || part.minExpiry > observer.wallMilliseconds {
            expired = 0
        } else {
            guard part.maxExpiry <= observer.wallMilliseconds else { return nil }
            expired = part.expirable
        }
        return purged == 0 || expired == 0 ? puts - purged - expired : nil
    }
}

/// The part of the statistics of a block or of a slice that decides how many of its entries are seen.
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
