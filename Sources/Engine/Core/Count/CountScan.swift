import ShaleBase
import ShaleSegment

/// Walks a merge forward and returns each key's newest version up to a sequence, whatever its kind.
struct CountScan: ~Copyable {
    /// As for other scans: the first few blocks use the cache, later ones bypass it.
    static let options = ScanOptions(fillCache: false, readAheadBytes: 256 << 10, cachedBlocks: 8)

    private let merge: MergingCursor
    private let sequence: SequenceNumber
    /// Empty before the first entry. Encoded keys are never empty.
    private var lastKey = ByteBuffer()
    private var isOnEntry = false

    /// Creates a scan. `merge` must be positioned before the first call of ``next()``.
    init(_ merge: MergingCursor, _ sequence: SequenceNumber) {
        self.merge = merge
        self.sequence = sequence
    }

    /// Returns the next key's entry, valid until the next call; `nil` at the end.
    mutating func next() throws(StorageError) -> ShaleBase.Entry? {
        if isOnEntry {
            isOnEntry = false
            try merge.next()
        }
        while !merge.isEnded {
            let entry = merge.current
            if entry.trailer.sequence <= sequence, !entry.key.isSame(as: lastKey.bytes) {
                lastKey.removeAll()
                lastKey.append(entry.key)
                isOnEntry = true
                return entry
            }
            try merge.next()
        }
        return nil
    }
}
