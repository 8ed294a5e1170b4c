public import ShaleBase
import ShaleManifest
import ShalePlatform

extension Engine {
    /// The number of entries of `range` that a scan would deliver now, or at `snapshot`. Exact.
    ///
    /// Blocks whose entries can't be covered, erased, expired or newer than the moment are counted by the indexes of their
    /// segments, without being read. Only keys with an entry in a memtable or in a segment that overlaps larger ones are
    /// looked up, and only blocks are read that hold several versions of a key, or entries of which the moment sees
    /// some. With many such entries, more than one in 16, everything is walked over, without copying.
    ///
    /// Errors: `.corruption`, `.ioFailure`, `.namespaceDropped`, `.closed`.
    ///
    /// - Complexity: O(blocks) for a namespace that has been compacted since its last change, 1 byte for each block; plus a
    ///   lookup for each key that was written since; at worst O(entries).
    public func count(
        over range: KeyRange = .all, in namespace: NamespaceID, at snapshot: Snapshot? = nil
    ) throws(StorageError) -> Int {
        // Watermarks that the moment needs are kept while it is registered.
        let moment = snapshot ?? self.snapshot()
        defer { withExtendedLifetime(moment) {} }
        if let count = try core.countByDifference(range, namespace, moment) { return count }
        // A walk holds no view for long: it changes to newer ones as it goes on.
        var cursor = try cursor(over: range, in: namespace, at: moment)
        var count = 0
        while try cursor.next() { count += 1 }
        return count
    }
}

extension EngineCore {
    /// `nil` if a walk over everything is expected to cost less.
    fileprivate func countByDifference(
        _ range: KeyRange, _ namespace: NamespaceID, _ moment: Snapshot
    ) throws(StorageError) -> Int? {
        let marks = erasures.watermarks(of: namespace, at: moment.observer.sequence)
        let rule = CountRule(
            observer: moment.observer, truncatedThrough: marks.truncatedThrough, purgedThrough: marks.purgedThrough)
        let view = viewCell.retained()
        // After the view was taken: a namespace that lives now is whole in it.
        try checkReadable(namespace)
        let bounds = ScanBounds(range, in: namespace)
        guard bounds.lower < bounds.upper else { return 0 }
        let count = KeyCount(self, view, rule, bounds)
        return count.isFast ? try count.count() : nil
    }
}
