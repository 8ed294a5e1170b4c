package import ShaleBase

/// A compaction's source over a run: forward only, past the cache.
///
/// It can pause before each block, so that its owner can skip the block, or copy it as stored, without decoding it.
///
/// While ``pausesAtBlocks`` is set, a `fill` before a block that has not been read leaves the run empty and
/// ``isPaused`` true. The owner reads ``pendingBlock()`` and calls one of two functions. After ``skipBlock()``, the
/// next block is pending. After ``enterBlock(for:)``, the run holds the block's first entries.
@safe
package final class CompactionSource: RunSource {
    /// The block before which the cursor is paused.
    package struct PendingBlock {
        package let segment: Segment
        package let index: Int
        package let row: IndexRow
        /// A key ≥ the block's last key and below the next block's first key.
        package let separator: [UInt8]
        /// The separator of the previous block; `nil` for a segment's first block, whose first key is the segment's
        /// smallest.
        package let previousSeparator: [UInt8]?
        /// True if this block begins with further versions of the key with which the previous block ends.
        ///
        /// That key is then `previousSeparator`; otherwise `previousSeparator` lies below this block's first key.
        package let beginsWithinKey: Bool
    }

    package var pausesAtBlocks: Bool
    package private(set) var isPaused = false
    private var entersNextBlock = false

    package init(_ segments: [Segment], pausesAtBlocks: Bool = true, options: ScanOptions = .compaction) {
        self.pausesAtBlocks = pausesAtBlocks
        super.init(segments, options: options)
    }

    package func pendingBlock() throws(StorageError) -> PendingBlock? {
        guard hasPendingBlock else { return nil }
        let segment = segments[segmentIndex]
        let index = try segment.index()
        return PendingBlock(
            segment: segment, index: blockIndex, row: index.row(blockIndex), separator: index.separator(blockIndex),
            previousSeparator: blockIndex > 0 ? index.separator(blockIndex - 1) : nil,
            beginsWithinKey: blockIndex > 0 && index.continues(blockIndex - 1))
    }

    /// Skips the pending block.
    package func skipBlock() {
        assert(hasPendingBlock)
        if hasPendingBlock { advance() }
    }

    /// Reads the pending block and delivers its first run.
    package func enterBlock(for cursor: EntryCursor) throws(StorageError) {
        assert(hasPendingBlock)
        entersNextBlock = true
        defer { entersNextBlock = false }
        try cursor.fill()
    }

    package override func position(_ key: Bytes?, for cursor: EntryCursor) throws(StorageError) {
        assert(cursor.direction == .forward, "compactions go forward")
        isPaused = false
        try super.position(key, for: cursor)
        try prepareSeek(.hold)
        try prepareSeek(.search)
    }

    package override func fillRun(of cursor: EntryCursor) throws(StorageError) {
        leaveExhaustedBlock()
        isPaused = pausesAtBlocks && !entersNextBlock && hasPendingBlock
        if isPaused { cursor.runCount = 0 } else { try super.fillRun(of: cursor) }
    }
}
