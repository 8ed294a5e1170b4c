import ShaleBase

/// Delivers the entries of a split block to a cursor from the block's stored form.
///
/// Keys are put together and values are decoded for each run, and for no other entries: the block is not loaded as a
/// whole, and nothing of it enters the cache. What a run reads is checked as in a block that is loaded: order, kinds,
/// sequences, lengths, and the checksums of key part and page.
///
/// A run crosses no page, so a page and its values need not outlive a run. Not thread-safe.
@safe
struct SplitBlockWalk: ~Copyable {
    /// The current block's key part, in ``memory`` or in the cursor's memory.
    private var part: KeyPart?
    /// The place of the current block and of its first page in the file.
    private var offset: UInt64 = 0
    private var pagesOffset: UInt64 = 0
    private var coders = BlockCoders()
    private var memory = ByteBuffer()
    private var keys = KeyPartWalk()
    private var pages = PageWalk()
    private var decompressor: Decompressor?
    private var isForward = true
    /// True if there has been a block since the last ``releaseBuffers()``.
    private var isUsed = false
    /// The next entry to deliver.
    private var next = 0

    /// The held memory in bytes.
    var capacity: Int { memory.capacity + keys.capacity + pages.capacity }

    /// True if there is a current block.
    @inline(__always)
    var isInBlock: Bool { part != nil }

    /// True if all entries in the cursor's direction have been delivered.
    var isExhausted: Bool { left == 0 }

    private var left: Int {
        guard let part else { return 0 }
        return isForward ? part.count - next : next + 1
    }

    // MARK: Blocks

    /// Begins a block as read, including trailer and pages, which stay borrowed.
    ///
    /// ``DataBlockReader/slackBytes`` are readable after `stored`.
    mutating func enter(
        _ stored: Bytes, _ place: BlockPlace, _ coders: BlockCoders, _ file: SegmentFile, _ direction: Direction
    ) throws(StorageError) {
        try begin(stored, place, coders, file, direction)
        pages.restart(stored.suffix(from: place.keyPartBytes))
    }

    /// Begins a block of which nothing has been read. Reads its key part, or all of it from a device.
    mutating func read(
        _ place: BlockPlace, _ coders: BlockCoders, _ file: SegmentFile, _ direction: Direction
    ) throws(StorageError) {
        part = nil
        isUsed = true
        memory.removeAll()
        let firstBytes = file.firstReadBytes(place)
        memory.reserve(firstBytes + DataBlockReader.slackBytes)
        let stored = memory.extend(firstBytes)
        try file.readSmall(into: stored, at: place.handle.offset)
        try begin(stored.bytes, place, coders, file, direction)
        pages.restart(firstBytes > place.keyPartBytes ? stored.bytes.suffix(from: place.keyPartBytes) : nil)
    }

    private mutating func begin(
        _ stored: Bytes, _ place: BlockPlace, _ coders: BlockCoders, _ file: SegmentFile, _ direction: Direction
    ) throws(StorageError) {
        part = nil
        isUsed = true
        let fresh: KeyPart
        do throws(ParseFailure) {
            fresh = try DataBlockReader.keyPart(stored, place, file)
        } catch {
            throw file.corruption(error.reason, at: place.handle.offset)
        }
        part = fresh
        offset = place.handle.offset
        pagesOffset = offset + UInt64(place.keyPartBytes)
        self.coders = coders
        keys.restart()
        isForward = direction == .forward
        next = isForward ? 0 : fresh.count - 1
    }

    /// Leaves the block, whose memory may change afterwards.
    mutating func leave() {
        part = nil
        coders = BlockCoders()
        pages.restart(nil)
    }

    /// Leaves the block, and releases memory that large blocks have taken.
    mutating func releaseBuffers() {
        guard isUsed else { return }
        isUsed = false
        leave()
        keys.releaseBuffers()
        pages.releaseBuffers()
        decompressor = nil
        if memory.capacity > SplitBlockWalk.keptBytes { memory = ByteBuffer() }
    }

    private static let keptBytes = 8 << 10

    // MARK: Entries

    /// Moves to the first entry with key ≥ `key`, or backward to the last one with a key below.
    mutating func seek(_ key: Bytes, _ file: SegmentFile) throws(StorageError) {
        guard let part else { return }
        do throws(ParseFailure) {
            let bound = try part.lowerBound(key)
            next = isForward ? bound : bound - 1
            // Its lines are on their way while the other sources of a merge search.
            guard !isExhausted, pages.isEmpty else { return }
            let page = try part.page(ofEntry: next)
            file.touch(page.length, at: pagesOffset + UInt64(page.offset))
        } catch {
            throw file.corruption(error.reason, at: offset)
        }
    }

    /// Delivers the next run. Returns false if the block is exhausted.
    mutating func deliver(to cursor: EntryCursor, _ file: SegmentFile) throws(StorageError) -> Bool {
        let left = left
        guard left > 0, let part else { return false }
        try pages.enter(next, of: part, file, at: pagesOffset, isForward: isForward)
        guard let page = pages.page else { return false }
        let wanted = min(left, cursor.nextRunLength())
        let entries =
            isForward
            ? next..<min(next + wanted, page.entries.upperBound)
            : max(next + 1 - wanted, page.entries.lowerBound)..<(next + 1)
        do throws(ParseFailure) {
            try fill(entries, part, cursor)
        } catch {
            throw file.corruption(error.reason, at: offset)
        }
        next += isForward ? entries.count : -entries.count
        cursor.runCount = entries.count
        return true
    }

    private mutating func fill(
        _ entries: Range<Int>, _ part: KeyPart, _ cursor: EntryCursor
    ) throws(ParseFailure) {
        try keys.fill(entries, of: part)
        let decoder = makeDecoder()
        let values = try pages.values(entries, of: part, decoder)
        let common = try part.commonTrailer()
        let headOffset = cursor.headOffset
        var slot = unsafe isForward ? cursor.run : cursor.run + (entries.count &- 1)
        let step = isForward ? 1 : -1
        var valueOffset = 0
        for index in entries {
            let key = keys.key(index &- entries.lowerBound)
            let (trailer, expiry) = if let common { common } else { try part.trailer(index) }
            let value = values.slice(valueOffset, part.valueLength(index))
            valueOffset &+= value.count
            unsafe slot.initialize(
                to: Entry(
                    head: KeyScratch.head(key, headOffset), key: key, trailer: trailer, expiry: expiry, value: value))
            unsafe slot += step
        }
    }

    private mutating func makeDecoder() -> PageDecoder {
        let decompressor = decompressor ?? Decompressor()
        self.decompressor = decompressor
        return PageDecoder(decompressor: decompressor, dictionary: coders.dictionary, code: coders.code)
    }
}
