import ShaleBase
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleSegment

/// Counts the keys of a range that an observer sees, and reads as little as possible.
///
/// The view's segments are divided into a *base* without overlaps and the others (``CountSources``). The count is
///
/// 1. the count of the base alone, mostly sums over indexes (``SegmentCount``); plus
/// 2. a correction of −1, 0 or 1 for each key with an entry outside the base. It is the difference between the
///    observer's count of the key in all sources and in the base alone.
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
        var scan = CountScan(merge, rule.observer.sequence)
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
        let found = try sources.base[index].get(key, hash: XXH3.hash(key), through: rule.observer.sequence)
        return found.map { ($0.trailer.sequence, rule.isPresent($0.trailer, expiry: $0.expiry)) }
    }
}
