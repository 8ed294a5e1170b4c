import ShaleBase
import ShaleSegment

/// Walks a merge forward and delivers of each key the newest version up to a sequence, whatever its kind.
struct CountScan: ~Copyable {
    /// As for other scans: a few blocks through the cache, more past it.
    static let options = ScanOptions(fillCache: false, readAheadBytes: 256 << 10, cachedBlocks: 8)

    private let merge: MergingCursor
    private let sequence: SequenceNumber
    /// Empty before the first entry. Encoded keys are never empty.
    private var lastKey = ByteBuffer()
    private var isOnEntry = false

    /// `merge` has been positioned, or is before the first call of ``next()``.
    init(_ merge: MergingCursor, _ sequence: SequenceNumber) {
        self.merge = merge
        self.sequence = sequence
    }

    /// The next key's entry, lent until the next call; `nil` at the end.
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
