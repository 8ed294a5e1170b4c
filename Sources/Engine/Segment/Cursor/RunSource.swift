package import ShaleBase

/// The entries of one segment, or of a level: sorted segments that don't overlap, each opened when it is reached. The runs
/// delivered never cross a block.
///
/// Keeps its segments and the current block alive. Not thread-safe.
@safe
package class RunSource: EntrySource {
    let segments: [Segment]
    /// What a seek needs of each segment, side by side; `segments` keeps alive what it points to.
    private let places: UnsafeMutableBufferPointer<Place>
    // Nothing that these two call comes back here, and the check costs more than a short run.
    @exclusivity(unchecked)
    private var holder: BlockHolder
    @exclusivity(unchecked)
    private var scratch = KeyScratch()
    private var block: DataBlock?
    private var isForward = true

    // Where it stands: segment, block in it, and, if `block` is loaded, the next entry to deliver. At an end the segment
    // index is outside.
    private(set) final var direction = Direction.forward
    private(set) final var segmentIndex = 0
    private(set) final var blockIndex = 0
    private var entryIndex = 0
    /// Where in the block delivery begins, if it has not been searched for that; lent until then.
    private var soughtKey: Bytes?

    @unsafe
    private struct Place {
        let segment: Unmanaged<Segment>
        let smallest: Bytes
        let largest: Bytes
        let blockCount: Int
    }

    init(_ segments: [Segment], options: ScanOptions) {
        self.segments = segments
        let places = UnsafeMutableBufferPointer<Place>.allocate(capacity: segments.count)
        for (index, segment) in segments.enumerated() {
            unsafe places.initializeElement(
                at: index,
                to: Place(
                    segment: .passUnretained(segment), smallest: segment.smallestKey, largest: segment.largestKey,
                    blockCount: segment.metadata.blockCount))
        }
        unsafe self.places = unsafe places
        unsafe holder = BlockHolder(options)
    }

    deinit { unsafe places.deallocate() }

    private var segmentCount: Int { unsafe places.count }

    private func blockCount(_ segment: Int) -> Int { unsafe places[segment].blockCount }

    /// Calls `body` with one of the segments, without counting a reference.
    @inline(__always)
    private func with<R>(_ index: Int, _ body: (Segment) throws(StorageError) -> R) throws(StorageError) -> R {
        let result = unsafe places[index].segment._withUnsafeGuaranteedRef { segment in
            Result { () throws(StorageError) in try body(segment) }
        }
        return try result.get()
    }

    /// Whether there is a block left whose entries have not begun to be delivered.
    final var hasPendingBlock: Bool { block == nil && segmentIndex >= 0 && segmentIndex < segmentCount }

    // MARK: - Positioning

    package func position(_ seekKey: Bytes?, for cursor: EntryCursor) throws(StorageError) {
        direction = cursor.direction
        isForward = direction == .forward
        block = nil
        soughtKey = nil
        unsafe holder.drop()
        unsafe holder.restart()
        guard let key = seekKey else {
            stand(atSegment: isForward ? 0 : segmentCount - 1)
            return
        }
        let target = firstSegment(endingAtOrAfter: key)
        guard target < segmentCount, !startsAtOrAfter(target, key) else {
            // Between segments: what is before the key is the end of the one before.
            stand(atSegment: isForward ? target : target - 1)
            if isBeyond(cursor.limit) { stand(atSegment: isForward ? segmentCount : -1) }
            return
        }
        segmentIndex = target
        blockIndex = try with(target) { (segment) throws(StorageError) in try segment.findAndTouchBlock(key) }
        if key.count == EncodedKey.namespaceWidth {
            // The start of a namespace is the start of a block: no need to read it.
            if !isForward { advance() }
            return
        }
        soughtKey = key
    }

    // Loading a block takes a counted reference, behind which no later load of the processor starts: hence all sources do
    // that before the first is searched.
    package final func approach(_ step: Approach) throws(StorageError) {
        guard soughtKey != nil else { return }
        switch step {
        case .hold: try loadBlock()
        case .search: search()
        }
    }

    /// The first segment whose largest key is ≥ `key`.
    private func firstSegment(endingAtOrAfter key: Bytes) -> Int {
        var low = 0
        var high = segmentCount
        while low < high {
            let middle = (low + high) / 2
            if unsafe places[middle].largest < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Whether the segment that it stands in lies wholly behind the limit, so that it need not be read to know that
    /// there is nothing to deliver.
    private func isBeyond(_ limit: Bytes?) -> Bool {
        guard let limit, segmentIndex >= 0, segmentIndex < segmentCount else { return false }
        let place = unsafe places[segmentIndex]
        return unsafe isForward ? limit <= place.smallest : place.largest < limit
    }

    private func startsAtOrAfter(_ segment: Int, _ key: Bytes) -> Bool {
        unsafe key <= places[segment].smallest
    }

    private func stand(atSegment index: Int) {
        segmentIndex = index
        guard index >= 0, index < segmentCount else { return }
        blockIndex = isForward ? 0 : blockCount(index) - 1
    }

    package func rest() {
        block = nil
        soughtKey = nil
        segmentIndex = -1
        unsafe holder.rest()
    }

    // MARK: - Stepping

    package func fillRun(of cursor: EntryCursor) throws(StorageError) {
        if soughtKey != nil {
            if block == nil { try loadBlock() }
            search()
        }
        while true {
            if let block {
                if deliver(block, to: cursor) { return }
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

    /// Leaves the current block, loaded or not, for its neighbour.
    final func advance() {
        block = nil
        soughtKey = nil
        if isForward {
            blockIndex += 1
            if blockIndex >= blockCount(segmentIndex) { stand(atSegment: segmentIndex + 1) }
        } else {
            blockIndex -= 1
            if blockIndex < 0 { stand(atSegment: segmentIndex - 1) }
        }
    }

    /// Reads the pending block and stands before its first entry, in the cursor's direction.
    private func loadBlock() throws(StorageError) {
        let loaded = try with(segmentIndex) { (segment) throws(StorageError) in
            try unsafe holder.load(blockIndex, of: segment, direction)
        }
        unsafe scratch.restart(loaded)
        block = loaded
        entryIndex = isForward ? 0 : loaded.count - 1
    }

    /// Stands before the first entry sought in the loaded block.
    private func search() {
        guard let block, let key = soughtKey else { return }
        soughtKey = nil
        let bound = block.lowerBound(key)
        entryIndex = isForward ? bound : bound - 1
        if entryIndex >= 0, entryIndex < block.count { block.columns.touch(entryIndex) }
    }

    /// Delivers the next run out of the loaded block; false when nothing is left in it.
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

    /// The current block is exhausted or not loaded: leaves it if exhausted.
    final func leaveExhaustedBlock() {
        guard let block else { return }
        let isExhausted = isForward ? entryIndex >= block.count : entryIndex < 0
        if isExhausted { advance() }
    }
}

extension EntryCursor {
    /// Walks the entries of one segment.
    package convenience init(_ segment: Segment, headOffset: Int, options: ScanOptions = ScanOptions()) {
        self.init(RunSource([segment], options: options), headOffset: headOffset)
    }

    /// Walks the entries of a level: sorted segments that don't overlap, each opened when it is reached.
    package convenience init(level segments: [Segment], headOffset: Int, options: ScanOptions = ScanOptions()) {
        self.init(RunSource(segments, options: options), headOffset: headOffset)
    }
}
