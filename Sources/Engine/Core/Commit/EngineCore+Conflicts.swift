import ShaleBase
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleSegment

/// Conflict checks of a transaction's reads. All run under `committer.lock`, drained, so nothing changes during a
/// check.
extension EngineCore {
    private static var conflict: StorageError {
        StorageError(.conflict, "an entry that the transaction read was changed before the commit")
    }

    /// Throws if a version of one of the keys, or a watermark of its namespace, is newer than `moment`.
    func checkUnchanged(_ keys: ReadKeys, since moment: ReadPoint) throws(StorageError) {
        guard hasChanged(since: moment) else { return }
        let view = viewCell.retained()
        let slot = domain.pin()
        defer { domain.unpin(slot) }
        var checked: NamespaceID?
        try keys.forEach { (key) throws(StorageError) in
            let namespace = EncodedKey.namespace(of: key)
            if namespace != checked { try checkNotErased(namespace, since: moment) }
            checked = namespace
            if let newest = try newestSequence(of: key, above: moment.sequence, view), newest > moment.sequence {
                throw EngineCore.conflict
            }
        }
    }

    /// Throws if any key in the range has a version newer than `moment`.
    func checkUnchanged(
        _ range: KeyRange, in namespace: NamespaceID, since moment: ReadPoint
    ) throws(StorageError) {
        guard hasChanged(since: moment) else { return }
        try checkNotErased(namespace, since: moment)
        let bounds = ScanBounds(range, in: namespace)
        let view = viewCell.retained()
        // Only sources that can hold newer versions.
        let options = ScanOptions(fillCache: false)
        let memtables = view.memtables.filter { $0.lastSequence(of: namespace) > moment.sequence }
        let segments = view.version.levels.flatMap(\.segments).filter { $0.metadata.maxSequence > moment.sequence }
        if memtables.isEmpty, segments.isEmpty { return }
        let merge = MergingCursor(
            memtables.map { $0.makeCursor(headOffset: 0) }
                + segments.map { EntryCursor($0, headOffset: 0, options: options) })
        merge.setBounds(headOffset: bounds.sharedPrefixCount, limit: bounds.upper)
        try merge.seek(bounds.lower, .forward)
        while !merge.isEnded {
            if merge.current.trailer.sequence > moment.sequence { throw EngineCore.conflict }
            try merge.next()
        }
        withExtendedLifetime(bounds) {}
    }

    /// False if no batch and no control operation came after `moment`. Then nothing that was read has changed, and
    /// no key has to be looked up: the usual case of a single writer.
    private func hasChanged(since moment: ReadPoint) -> Bool { committer.nextSequence - 1 > moment.sequence }

    private func checkNotErased(_ namespace: NamespaceID, since moment: ReadPoint) throws(StorageError) {
        let erasure = erasures.erasure(of: namespace)
        guard !erasure.isDropped else { throw Committer.droppedError(namespace) }
        if max(erasure.truncatedThrough(), erasure.purgedThrough()) > moment.sequence { throw EngineCore.conflict }
    }

    /// Returns the newest version's sequence. Searches only the segments that can hold versions above `sequence`.
    /// Requires a pin.
    private func newestSequence(
        of key: Bytes, above sequence: SequenceNumber, _ view: View
    ) throws(StorageError) -> SequenceNumber? {
        for memtable in view.memtables {
            if let found = memtable.newestSequence(of: key) { return found }
        }
        for level in view.version.levels {
            for segment in level.overlapping(key, key) where segment.metadata.maxSequence > sequence {
                let found = try segment.get(key, hash: XXH3.hash(key), through: .max, fillCache: true)
                if let found { return found.trailer.sequence }
            }
        }
        return nil
    }
}
