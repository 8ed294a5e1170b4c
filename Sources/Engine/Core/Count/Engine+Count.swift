public import ShaleBase
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleSegment

extension Engine {
    /// Returns the number of entries of `range` that a scan would return now, or at `snapshot`. Exact.
    ///
    /// The indexes of segments count most blocks without reading them. A block is read only if it holds several
    /// versions of a key, or if its statistics don't decide how many of its entries the moment sees. Keys with an entry
    /// in a memtable, or in a segment that overlaps larger ones, are looked up. If more than one in 16 entries is of
    /// this kind, the engine walks over all entries instead, without copying. If one memtable holds all entries, the
    /// engine counts the keys of its tree. It reads entries then only if some are deletes, purgeable, expiring or newer
    /// than the moment.
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
        var cursor = try cursor(over: range, in: namespace, at: moment)
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
        let view = viewCell.retained()
        // After taking the view, so that the view contains everything of a live namespace.
        try checkReadable(namespace)
        let bounds = ScanBounds(range, in: namespace)
        guard bounds.lower < bounds.upper else { return 0 }
        let count = KeyCount(self, view, rule, bounds)
        if let count = count.countInMemtable() { return count }
        return count.isFast ? try count.count() : nil
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
struct KeyCount: ~Copyable {
    /// The cost of a lookup in the base, in steps of a merge. With more entries outside the base, a walk over all
    /// entries is faster.
    static let walkedEntriesPerLookup: UInt64 = 16

    private let engine: EngineCore
    private let sources: CountSources
    private let rule: CountRule
    private let bounds: ScanBounds

    init(_ engine: EngineCore, _ view: View, _ rule: CountRule, _ bounds: consuming ScanBounds) {
        self.engine = engine
        self.rule = rule
        sources = CountSources(view, bounds)
        self.bounds = bounds
    }

    /// Returns the count if one memtable holds all entries of the namespace; otherwise `nil`.
    ///
    /// The view is newer than the read point, so entries that come into other memtables later are not visible.
    func countInMemtable() -> Int? {
        guard sources.base.isEmpty, sources.others.isEmpty, sources.memtables.count == 1 else { return nil }
        let rule = rule
        return sources.memtables[0].keyCount(
            of: bounds.namespace, from: bounds.lower, below: bounds.upper, through: rule.readPoint.sequence,
            truncatedThrough: rule.truncatedThrough
        ) { rule.isPresent($0, expiry: $1) }
    }

    /// True if counting by difference is expected to cost less than a walk over all entries.
    var isFast: Bool { sources.otherEntries * KeyCount.walkedEntriesPerLookup <= sources.baseEntries }

    func count() throws(StorageError) -> Int {
        var total = 0
        for segment in sources.base {
            guard let slice = segment.metadata.slice(of: bounds.namespace) else { continue }
            let part = SegmentCount(
                segment: segment, slice: slice, rule: rule, headOffset: bounds.sharedPrefixCount)
            total += try part.count(from: bounds.lower, below: bounds.upper)
        }
        return sources.otherEntries == 0 ? total : total + (try correction())
    }

    private func correction() throws(StorageError) -> Int {
        let headOffset = bounds.sharedPrefixCount
        let merge = MergingCursor(
            sources.memtables.map { $0.makeCursor(headOffset: headOffset) }
                + sources.others.map { EntryCursor($0, headOffset: headOffset, options: CountScan.options) })
        merge.setBounds(headOffset: headOffset, limit: bounds.upper)
        try merge.seek(bounds.lower, .forward)
        var scan = CountScan(merge, rule.readPoint.sequence)
        var total = 0
        while let entry = try scan.next() {
            let isPresentOutside = rule.isPresent(entry.trailer, expiry: entry.expiry)
            guard let inBase = try newestInBase(entry.key) else {
                if isPresentOutside { total += 1 }
                continue
            }
            let isPresent = entry.trailer.sequence > inBase.sequence ? isPresentOutside : inBase.isPresent
            total += (isPresent ? 1 : 0) - (inBase.isPresent ? 1 : 0)
        }
        return total
    }

    private func newestInBase(
        _ key: Bytes
    ) throws(StorageError) -> (sequence: SequenceNumber, isPresent: Bool)? {
        let index = CountSources.firstIndex(in: sources.base, endingAtOrAfter: key)
        guard index < sources.base.count, sources.base[index].smallestKey <= key else { return nil }
        // For one lookup only: a pin keeps all memory that is retired meanwhile.
        let pin = engine.domain.pin()
        defer { engine.domain.unpin(pin) }
        let found = try sources.base[index].get(key, hash: XXH3.hash(key), through: rule.readPoint.sequence)
        return found.map { ($0.trailer.sequence, rule.isPresent($0.trailer, expiry: $0.expiry)) }
    }
}
