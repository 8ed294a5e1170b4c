public import ShaleBase
import ShaleManifest
import ShalePlatform

extension Engine {
    /// Returns the number of entries of `range` that a scan would return now, or at `snapshot`. Exact.
    ///
    /// The indexes of segments count most blocks without reading them. A block is read only if it holds several
    /// versions of a key, or if its statistics don't decide how many of its entries the moment sees. Keys with an entry
    /// in a memtable, or in a segment that overlaps larger ones, are looked up. If more than one in 16 entries is of
    /// this kind, the engine walks over all entries instead, without copying.
    ///
    /// - Throws: `.corruption`, `.ioFailure`, `.namespaceDropped` or `.closed`.
    /// - Complexity: O(blocks), at 1 byte for each block, for a namespace that was compacted after its last change.
    ///   Each key written since adds a lookup. At worst O(entries).
    public func count(
        over range: KeyRange = .all, in namespace: NamespaceID, at snapshot: Snapshot? = nil
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
        _ range: KeyRange, _ namespace: NamespaceID, _ moment: Snapshot
    ) throws(StorageError) -> Int? {
        let marks = erasures.watermarks(of: namespace, at: moment.observer.sequence)
        let rule = CountRule(
            observer: moment.observer, truncatedThrough: marks.truncatedThrough, purgedThrough: marks.purgedThrough)
        let view = viewCell.retained()
        // After taking the view, so that the view contains everything of a live namespace.
        try checkReadable(namespace)
        let bounds = ScanBounds(range, in: namespace)
        guard bounds.lower < bounds.upper else { return 0 }
        let count = KeyCount(self, view, rule, bounds)
        return count.isFast ? try count.count() : nil
    }
}
