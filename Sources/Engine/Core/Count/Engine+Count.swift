public import ShaleBase
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleSegment

extension Engine {
    /// Returns the number of entries of `range` that a scan would return now, or at `snapshot`. Exact.
    ///
    /// If the keys of the range lie in each source by themselves, as ascending keys do, the counts of the sources are
    /// added. Otherwise keys outside the largest level are looked up, or the engine walks over all entries.
    ///
    /// The indexes of segments count most blocks without reading them. A block is read only if it holds several
    /// versions of a key, or if its statistics don't decide how many of its entries the moment sees. Keys with an entry
    /// in a memtable, or in a segment that overlaps larger ones, are looked up. If there are too many of them, about
    /// two for five other entries, the engine walks over all entries instead, without copying, unless they are in one
    /// memtable and few of their keys are in segments. More than one delete in 16 of them is a sign that many are. If
    /// one memtable holds all entries, the engine counts the keys of its tree. It reads entries then only if some are
    /// deletes, purgeable, expiring or newer than the moment.
    ///
    /// - Throws: `.corruption`, `.ioFailure`, `.namespaceDropped` or `.closed`.
    /// - Complexity: O(blocks), at 1 byte for each block, for a namespace that was compacted after its last change.
    ///   Each key written since adds a lookup. At worst O(entries).
    public func count(
        over range: KeyRange = .all, in namespace: NamespaceID, at snapshot: Engine.Snapshot? = nil
    ) throws(StorageError) -> Int {
        // Registered, so that the watermarks that the moment needs are kept.
        let moment = snapshot ?? self.snapshot()
        defer { withExtendedLifetime(moment) {} }
        if let count = try core.countByDifference(range, namespace, moment) { return count }
        // A walk holds no view for long: it switches to newer views as it advances.
        var cursor = try cursor(over: range, in: namespace, at: moment, readsValues: false, readsMany: true)
        var count = 0
        while try cursor.next() { count += 1 }
        return count
    }
}

extension EngineCore {
    /// Counts by indexes and lookups. Returns `nil` if a walk over all entries is expected to cost less.
    fileprivate func countByDifference(
        _ range: KeyRange, _ namespace: NamespaceID, _ moment: Engine.Snapshot
    ) throws(StorageError) -> Int? {
        let marks = erasures.watermarks(of: namespace, at: moment.readPoint.sequence)
        let rule = CountRule(
            readPoint: moment.readPoint, truncatedThrough: marks.truncatedThrough, purgedThrough: marks.purgedThrough)
        // Before a view is taken, because that of an unfilled state lacks memtables.
        if !gate.isOpen { try passGate() }
        let view = viewCell.retained()
        // After taking the view, so that the view contains everything of a live namespace.
        try checkReadable(namespace)
        let bounds = ScanBounds(range, in: namespace)
        guard bounds.lower < bounds.upper else { return 0 }
        let count = KeyCount(view, rule, bounds)
        if let count = count.countInMemtable() { return count }
        if count.hasOtherEntries, !count.hasManyDeletes, let count = try count.countApart() { return count }
        if count.isFast { return try count.count() }
        return count.hasManyDeletes ? nil : try count.countBesideMemtable()
    }
}

/// Counts the keys of a range that a read point sees, and reads as little as possible.
///
/// The view's segments are divided into a *base* without overlaps and the others (``CountSources``). The count is
///
/// 1. the count of the base alone, mostly sums over indexes (``SegmentCount``); plus
/// 2. a correction of −1, 0 or 1 for each key with an entry outside the base. It is the difference between the
///    read point's count of the key in all sources and in the base alone.
///
/// A key without an entry outside the base counts the same in both, so the sum is exact. For the correction, the key is
/// looked up in the one segment of the base that can hold it. The newer of its newest versions in the base and outside
/// decides, as in a merge of all sources.
///
/// Keys come in order, or in that of a memtable's tree, so most lookups follow one of the same block and cost little
/// more than a step of a merge (``NearbyLookups``). The first lookup in a block costs several, or reads the block. One
/// of a key that the base lacks mostly ends at the segment's filter. So new keys beside flushed ones, as in an
/// index, are counted by difference however many there are. Nothing tells in advance which keys are new:
/// ``countBesideMemtable()`` gives up after a number of keys that the base has.
struct KeyCount: ~Copyable {
    /// The cost of a lookup in the block of the base that holds the key before, in steps of a merge.
    static let walkedEntriesPerNearbyLookup: UInt64 = 2
    /// The further cost of a lookup in another block.
    static let walkedEntriesPerBlock: UInt64 = 14
    /// The cost of a lookup in another block.
    static let walkedEntriesPerLookup = walkedEntriesPerNearbyLookup + walkedEntriesPerBlock
    /// With more deletes than one in so many entries outside the base, there are many.
    static let entriesPerDelete: UInt64 = 16

    let sources: CountSources
    private let rule: CountRule
    let bounds: ScanBounds

    init(_ view: View, _ rule: CountRule, _ bounds: consuming ScanBounds) {
        self.rule = rule
        sources = CountSources(view, bounds)
        self.bounds = bounds
    }

    /// Returns the count if one memtable holds all entries of the namespace; otherwise `nil`.
    ///
    /// The view is newer than the read point, so entries that come into other memtables later are not visible.
    func countInMemtable() -> Int? {
        guard sources.base.isEmpty, sources.others.isEmpty, sources.memtables.count == 1 else { return nil }
        return count(in: sources.memtables[0])
    }

    /// Returns the count of one memtable, as if there were no other source.
    func count(in memtable: Memtable) -> Int {
        let rule = rule
        return memtable.keyCount(
            of: bounds.namespace, from: bounds.lower, below: bounds.upper, through: rule.readPoint.sequence,
            truncatedThrough: rule.truncatedThrough
        ) { rule.isPresent($0, expiry: $1) }
    }

    /// True if something lies outside the base.
    var hasOtherEntries: Bool { sources.otherEntries > 0 }

    /// True if many of the entries outside the base are deletes. Another source has their keys, so neither do the keys
    /// of a range lie in each source by themselves, nor does the base lack most of them.
    var hasManyDeletes: Bool { sources.otherDeletes * KeyCount.entriesPerDelete > sources.otherEntries }

    /// True if counting by difference is expected to cost less than a walk over all entries: a lookup in the block of
    /// the last key costs about two steps, and one in another block of the base more.
    var isFast: Bool {
        let otherBlocks = min(sources.otherEntries, sources.baseBlocks)
        return sources.otherEntries * KeyCount.walkedEntriesPerNearbyLookup
            + otherBlocks * KeyCount.walkedEntriesPerBlock <= sources.baseEntries
    }

    func count() throws(StorageError) -> Int {
        let total = try countInBase()
        return sources.otherEntries == 0 ? total : total + (try correction())
    }

    /// Returns the count if one memtable holds all entries outside the base, and the base lacks most of its keys;
    /// otherwise `nil`.
    ///
    /// The keys of the memtable are visited in the order of its tree, without a merge. Half of the time that the walk
    /// would spend on entries of the base is spent on keys that the base has, at most.
    func countBesideMemtable() throws(StorageError) -> Int? {
        guard sources.others.isEmpty, sources.memtables.count == 1 else { return nil }
        let walkedEntries = try entriesInWholeBlocks()
        var lookups = walkedEntries / KeyCount.walkedEntriesPerLookup / 2
        guard lookups > 0 else { return nil }
        var base = CountBase(segments: sources.base, rule: rule)
        var total = 0
        var isFast = true
        try sources.memtables[0].forEachNewest(
            from: bounds.lower, below: bounds.upper, through: rule.readPoint.sequence
        ) { (key, trailer, expiry) throws(StorageError) in
            let (count, isInBase) = try base.correction(key, trailer, expiry: expiry)
            total += count
            guard isInBase else { return true }
            isFast = lookups > 0
            lookups = isFast ? lookups - 1 : 0
            return isFast
        }
        return isFast ? total + (try countInBase()) : nil
    }

    func countInBase() throws(StorageError) -> Int {
        var total = 0
        for segment in sources.base { total += try count(in: segment) }
        return total
    }

    /// Returns the count of one segment, as if there were no other source.
    func count(in segment: Segment) throws(StorageError) -> Int {
        guard let slice = segment.metadata.slice(of: bounds.namespace) else { return 0 }
        let part = SegmentCount(segment: segment, slice: slice, rule: rule, headOffset: bounds.sharedPrefixCount)
        return try part.count(from: bounds.lower, below: bounds.upper)
    }

    /// Returns about the number of the base's entries in the blocks that lie in the range as a whole, from indexes.
    private func entriesInWholeBlocks() throws(StorageError) -> UInt64 {
        var total: UInt64 = 0
        for segment in sources.base {
            guard let slice = segment.metadata.slice(of: bounds.namespace), slice.blockCount > 0 else { continue }
            let first = max(Int(slice.firstBlock), try segment.findBlock(bounds.lower))
            let end = min(Int(slice.firstBlock + slice.blockCount), try segment.findBlock(bounds.upper))
            // The first block may begin before the range.
            guard end > first + 1 else { continue }
            total += UInt64(end - first - 1) * slice.entryCount / UInt64(slice.blockCount)
        }
        return total
    }

    private func correction() throws(StorageError) -> Int {
        let headOffset = bounds.sharedPrefixCount
        let merge = MergingCursor(
            sources.memtables.map { $0.makeCursor(headOffset: headOffset) }
                + sources.others.map { EntryCursor($0, headOffset: headOffset, options: CountScan.options) })
        merge.setBounds(headOffset: headOffset, limit: bounds.upper)
        try merge.seek(bounds.lower, .forward)
        var scan = CountScan(merge, rule.readPoint.sequence)
        var base = CountBase(segments: sources.base, rule: rule)
        var total = 0
        while let entry = try scan.next() {
            total += try base.correction(entry.key, entry.trailer, expiry: entry.expiry).count
        }
        return total
    }
}
