package import ShaleBase

/// Options for a cursor's reads of blocks that are not in the cache.
package struct ScanOptions: Sendable, Equatable {
    /// If true, blocks that were read enter the cache. Ignored with read-ahead.
    package var fillCache: Bool
    /// The size in bytes of one read from the file; 0 for no read-ahead.
    ///
    /// With read-ahead, blocks are decoded into the cursor's own memory, past the cache.
    package var readAheadBytes: Int
    /// With read-ahead: the number of blocks after a seek that are read one by one and enter the cache, as in lookups.
    ///
    /// Read-ahead begins after them.
    package var cachedBlocks: Int
    /// If true, reads start at one block and grow; otherwise the first read has full size.
    package var startsSmall: Bool

    package init(fillCache: Bool = true, readAheadBytes: Int = 0, cachedBlocks: Int = 0, startsSmall: Bool = true) {
        self.fillCache = fillCache
        self.readAheadBytes = readAheadBytes
        self.cachedBlocks = cachedBlocks
        self.startsSmall = startsSmall
    }

    /// The options for compactions: large reads from the start, nothing cached.
    package static let compaction = ScanOptions(fillCache: false, readAheadBytes: 1 << 20, startsSmall: false)
}

/// The entries of one segment, or of a level: ordered segments that don't overlap, each opened when it is reached.
///
/// A run never crosses a block.
///
/// Keeps its segments and the current block alive. Not thread-safe.
@safe
package class RunSource: EntrySource {
    let segments: [Segment]
    /// The data that a seek needs of each segment, in contiguous memory; `segments` keeps the pointed-to objects alive.
    private let bounds: UnsafeMutableBufferPointer<SegmentBounds>
    // Nothing that these two call re-enters this object, and the check costs more than a short run.
    @exclusivity(unchecked)
    private var holder: BlockHolder
    @exclusivity(unchecked)
    private var scratch = KeyScratch()
    private var held: HeldBlock?
    private var isForward = true

    // The position: segment, block in it, and, if the block is held, the next entry to deliver, which a split block
    // keeps itself. At an end, the segment index is out of range.
    private(set) final var direction = Direction.forward
    private(set) final var segmentIndex = 0
    private(set) final var blockIndex = 0
    private var entryIndex = 0
    /// The key at which delivery in the block begins, until the block has been searched for it. Borrowed.
    private var soughtKey: Bytes?

    @unsafe
    private struct SegmentBounds {
        let segment: Unmanaged<Segment>
        let smallest: Bytes
        let largest: Bytes
        let blockCount: Int
    }

    init(_ segments: [Segment], options: ScanOptions) {
        self.segments = segments
        let bounds = UnsafeMutableBufferPointer<SegmentBounds>.allocate(capacity: segments.count)
        for (index, segment) in segments.enumerated() {
            unsafe bounds.initializeElement(
                at: index,
                to: SegmentBounds(
                    segment: .passUnretained(segment), smallest: segment.smallestKey, largest: segment.largestKey,
                    blockCount: segment.metadata.blockCount))
        }
        unsafe self.bounds = unsafe bounds
        unsafe holder = BlockHolder(options)
    }

    deinit { unsafe bounds.deallocate() }

    private var segmentCount: Int { unsafe bounds.count }

    private func blockCount(_ segment: Int) -> Int { unsafe bounds[segment].blockCount }

    /// Calls `body` with one of the segments, without counting a reference.
    @inline(__always)
    private func with<R>(_ index: Int, _ body: (Segment) throws(StorageError) -> R) throws(StorageError) -> R {
        let result = unsafe bounds[index].segment._withUnsafeGuaranteedRef { segment in
            Result { () throws(StorageError) in try body(segment) }
        }
        return try result.get()
    }

    private final var isHolding: Bool { if case nil = held { false } else { true } }

    /// True if a block is left of which no entry has been delivered.
    final var hasPendingBlock: Bool { !isHolding && segmentIndex >= 0 && segmentIndex < segmentCount }

    // MARK: - Positioning

    package func position(_ seekKey: Bytes?, for cursor: EntryCursor) throws(StorageError) {
        direction = cursor.direction
        isForward = direction == .forward
        held = nil
        soughtKey = nil
        unsafe holder.drop()
        unsafe holder.restart()
        guard let key = seekKey else {
            stand(atSegment: isForward ? 0 : segmentCount - 1)
            return
        }
        let target = firstSegment(endingAtOrAfter: key)
        guard target < segmentCount, !startsAtOrAfter(target, key) else {
            // The key lies between segments: backward, the position is the end of the segment before.
            stand(atSegment: isForward ? target : target - 1)
            if isBeyond(cursor.limit) { stand(atSegment: isForward ? segmentCount : -1) }
            return
        }
        segmentIndex = target
        blockIndex = try with(target) { (segment) throws(StorageError) in try segment.findAndTouchBlock(key) }
        if key.count == EncodedKey.namespaceWidth {
            // A namespace starts with a block, so the block need not be read.
            if !isForward { advance() }
            return
        }
        soughtKey = key
    }

    // Loading a block takes a counted reference with an atomic operation, which the processor completes before it
    // starts later loads. All sources therefore load before the first one searches.
    package final func prepareSeek(_ step: SeekStep) throws(StorageError) {
        guard soughtKey != nil else { return }
        switch step {
        case .hold: try loadBlock()
        case .search: try search()
        }
    }

    /// Returns the first segment whose largest key is ≥ `key`.
    private func firstSegment(endingAtOrAfter key: Bytes) -> Int {
        var low = 0
        var high = segmentCount
        while low < high {
            let middle = (low + high) / 2
            if unsafe bounds[middle].largest < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns true if the current segment lies wholly beyond the limit, so that it need not be read.
    private func isBeyond(_ limit: Bytes?) -> Bool {
        guard let limit, segmentIndex >= 0, segmentIndex < segmentCount else { return false }
        let current = unsafe bounds[segmentIndex]
        return unsafe isForward ? limit <= current.smallest : current.largest < limit
    }

    private func startsAtOrAfter(_ segment: Int, _ key: Bytes) -> Bool {
        unsafe key <= bounds[segment].smallest
    }

    private func stand(atSegment index: Int) {
        segmentIndex = index
        guard index >= 0, index < segmentCount else { return }
        blockIndex = isForward ? 0 : blockCount(index) - 1
    }

    package func releaseBuffers() {
        held = nil
        soughtKey = nil
        segmentIndex = -1
        unsafe holder.releaseBuffers()
    }

    // MARK: - Stepping

    package func fillRun(of cursor: EntryCursor) throws(StorageError) {
        if soughtKey != nil {
            if !isHolding { try loadBlock() }
            try search()
        }
        while true {
            if let held {
                if try deliver(held, to: cursor) { return }
                advance()
            }
            guard hasPendingBlock else {
                unsafe holder.drop()
                cursor.runCount = 0
                return
            }
            try loadBlock()
        }
    }

    /// Moves from the current block, loaded or not, to its neighbour.
    final func advance() {
        held = nil
        soughtKey = nil
        if isForward {
            blockIndex += 1
            if blockIndex >= blockCount(segmentIndex) { stand(atSegment: segmentIndex + 1) }
        } else {
            blockIndex -= 1
            if blockIndex < 0 { stand(atSegment: segmentIndex - 1) }
        }
    }

    /// Loads the pending block and moves to its first entry in the cursor's direction.
    private func loadBlock() throws(StorageError) {
        let loaded = try with(segmentIndex) { (segment) throws(StorageError) in
            try unsafe holder.load(blockIndex, of: segment, direction)
        }
        held = loaded
        guard case .whole(let block) = loaded else { return }
        unsafe scratch.restart(block)
        entryIndex = isForward ? 0 : block.count - 1
    }

    /// Moves to the first entry at or beyond the sought key in the held block.
    private func search() throws(StorageError) {
        guard let held, let key = soughtKey else { return }
        soughtKey = nil
        guard case .whole(let block) = held else {
            return try with(segmentIndex) { (segment) throws(StorageError) in
                try unsafe holder.walk.seek(key, segment.file)
            }
        }
        let bound = block.lowerBound(key)
        entryIndex = isForward ? bound : bound - 1
        if entryIndex >= 0, entryIndex < block.count { block.columns.touch(entryIndex) }
    }

    /// Delivers the next run from the held block. Returns false if the block is exhausted.
    private func deliver(_ held: HeldBlock, to cursor: EntryCursor) throws(StorageError) -> Bool {
        guard case .whole(let block) = held else {
            return try with(segmentIndex) { (segment) throws(StorageError) in
                try unsafe holder.walk.deliver(to: cursor, segment.file)
            }
        }
        return deliver(block, to: cursor)
    }

    /// Delivers the next run from the loaded block. Returns false if the block is exhausted.
    private func deliver(_ block: DataBlock, to cursor: EntryCursor) -> Bool {
        let isForward = isForward
        let left = isForward ? block.count - entryIndex : entryIndex + 1
        guard left > 0 else { return false }
        let count = min(left, cursor.nextRunLength())
        let step = isForward ? 1 : -1
        unsafe scratch.fill(
            cursor.run, block, first: entryIndex, count: count, step: step, headOffset: cursor.headOffset)
        entryIndex += step * count
        cursor.runCount = count
        return true
    }

    /// Moves to the next block if the current one is loaded and exhausted.
    final func leaveExhaustedBlock() {
        let isExhausted =
            switch held {
            case .whole(let block): isForward ? entryIndex >= block.count : entryIndex < 0
            case .split: unsafe holder.walk.isExhausted
            case nil: false
            }
        if isExhausted { advance() }
    }
}

extension EntryCursor {
    /// Makes a cursor over the entries of one segment.
    package convenience init(_ segment: Segment, headOffset: Int, options: ScanOptions = ScanOptions()) {
        self.init(RunSource([segment], options: options), headOffset: headOffset)
    }

    /// Makes a cursor over the entries of a level: ordered segments that don't overlap, each opened when it is reached.
    package convenience init(level segments: [Segment], headOffset: Int, options: ScanOptions = ScanOptions()) {
        self.init(RunSource(segments, options: options), headOffset: headOffset)
    }
}
