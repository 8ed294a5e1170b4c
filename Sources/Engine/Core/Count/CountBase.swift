import ShaleBase
import ShaleManifest
import ShaleSegment

/// The base of a count, in which keys from outside of it are looked up. See ``KeyCount``. Used by one thread.
struct CountBase {
    /// In ascending order and without overlaps.
    let segments: [Segment]
    let rule: CountRule
    /// Lookups in the segment of the last key. Keys come in order, or in that of a memtable's tree, so most keys follow
    /// one of the same block.
    private var lookups: NearbyLookups?
    private var lookupIndex = 0

    init(segments: [Segment], rule: CountRule) {
        self.segments = segments
        self.rule = rule
    }

    /// Returns the correction for a key whose newest version outside the base is given: −1, 0 or 1, and true if the
    /// base has the key.
    mutating func correction(
        _ key: Bytes, _ trailer: Trailer, expiry: Int64
    ) throws(StorageError) -> (count: Int, isInBase: Bool) {
        let isPresentOutside = rule.isPresent(trailer, expiry: expiry)
        guard let inBase = try newest(key) else { return (isPresentOutside ? 1 : 0, false) }
        let isPresentInBase = rule.isPresent(inBase.trailer, expiry: inBase.expiry)
        let isPresent = trailer.sequence > inBase.trailer.sequence ? isPresentOutside : isPresentInBase
        return ((isPresent ? 1 : 0) - (isPresentInBase ? 1 : 0), true)
    }

    private mutating func newest(_ key: Bytes) throws(StorageError) -> NearbyLookups.Version? {
        let index = CountSources.firstIndex(in: segments, endingAtOrAfter: key)
        guard index < segments.count, segments[index].smallestKey <= key else { return nil }
        return try lookups(in: index).newest(key, through: rule.readPoint.sequence)
    }

    private mutating func lookups(in index: Int) -> NearbyLookups {
        if let lookups, lookupIndex == index { return lookups }
        let fresh = NearbyLookups(segments[index])
        (lookups, lookupIndex) = (fresh, index)
        return fresh
    }
}
