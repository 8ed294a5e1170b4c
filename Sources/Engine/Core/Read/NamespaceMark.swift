package import ShaleBase
import ShaleManifest
import ShaleMemtable
import ShalePlatform

/// A moment of a namespace. A later reader can find out with it, without reading, that nothing was written since.
package struct NamespaceMark: Sendable, Equatable {
    fileprivate let namespace: NamespaceID
    fileprivate let sequence: SequenceNumber
    fileprivate let truncatedThrough: SequenceNumber
}

extension Engine {
    /// Returns the mark of a namespace at the moment of a snapshot.
    package func mark(of namespace: NamespaceID, at snapshot: Engine.Snapshot) -> NamespaceMark {
        let marks = core.erasures.watermarks(of: namespace, at: snapshot.sequence)
        return NamespaceMark(
            namespace: namespace, sequence: snapshot.sequence, truncatedThrough: marks.truncatedThrough)
    }

    /// True if a snapshot is known to see the same entries of a namespace as a mark, except those that were purged or
    /// have expired since. False also if that is not known without reading.
    ///
    /// 1. The mark's namespace is live, so it was not dropped. Ids are never used again.
    /// 2. Both moments see the same truncation.
    /// 3. No memtable of a view that is newer than the snapshot has a later write of the namespace than the mark.
    /// 4. A later write that was flushed is older than the oldest memtable. So there is none if that memtable begins
    ///    right behind the mark or before it.
    ///
    /// - Complexity: O(memtables).
    package func isUnchanged(
        since mark: NamespaceMark, _ namespace: NamespaceID, at snapshot: Engine.Snapshot
    ) throws(StorageError) -> Bool {
        guard mark.namespace == namespace, mark.sequence <= snapshot.sequence, core.erasures.isLive(namespace),
            core.erasures.watermarks(of: namespace, at: snapshot.sequence).truncatedThrough == mark.truncatedThrough
        else { return false }
        let slot = core.domain.pin()
        defer { core.domain.unpin(slot) }
        return try core.viewCell.withPinned { (view) in
            let oldest = view.immutables.last ?? view.mutable
            let first = oldest.firstSequence
            guard first > 0, first - 1 <= mark.sequence else { return false }
            return view.mutable.lastSequence(of: namespace) <= mark.sequence
                && view.immutables.allSatisfy { $0.lastSequence(of: namespace) <= mark.sequence }
        }
    }
}
