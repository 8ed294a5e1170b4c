import ShaleBase
import ShalePlatform
import Synchronization

/// The current block of a cursor.
enum HeldBlock {
    /// A loaded block.
    case whole(DataBlock)
    /// A split block in its stored form: ``BlockHolder/walk``.
    case split
}

/// The current block of a cursor, and what keeps it alive across pins: a counted reference to a shared block, or the
/// cursor's own memory.
@safe
struct BlockHolder: ~Copyable {
    private let options: ScanOptions
    private var shared: DataBlock?
    /// The cursor's own block memory, reused from block to block during read-ahead.
    private var own: DataBlock?
    /// The position in a split block that is not loaded.
    var walk = SplitBlockWalk()
    private var reader: StoredBlockReader
    private var decompressor: Decompressor?
    /// The number of next blocks that are read as in a short scan: see ``ScanOptions/cachedBlocks``.
    private var cachedBlocksLeft: Int
    /// The charge for this holder's own memory.
    private var charge = BufferCharge()

    init(_ options: ScanOptions) {
        self.options = options
        cachedBlocksLeft = options.cachedBlocks
        reader = StoredBlockReader(pieceBytesMax: options.readAheadBytes, startsSmall: options.startsSmall)
    }

    deinit {
        shared?.release()
        own?.release()
    }

    /// Releases the current block.
    mutating func drop() {
        shared?.release()
        shared = nil
        if walk.isInBlock { walk.leave() }
    }

    /// Tells the holder that the next block is not adjacent to the last one.
    mutating func restart() {
        reader.restart()
        cachedBlocksLeft = options.cachedBlocks
    }

    /// Releases the current block and the read-ahead memory.
    mutating func releaseBuffers() {
        drop()
        own?.release()
        own = nil
        decompressor = nil
        reader.releaseBuffers()
        walk.releaseBuffers()
        charge.set(0)
    }

    /// Loads a block, which is valid until the next call.
    ///
    /// A split block that is not in the cache stays in its stored form, unless the cache admits it as it does for a
    /// lookup. A short scan then reads its key part and the pages that it needs.
    mutating func load(
        _ index: Int, of segment: Segment, _ direction: Direction
    ) throws(StorageError) -> HeldBlock {
        drop()
        let tables = unsafe try segment.tables()
        let isShort = cachedBlocksLeft > 0
        if isShort { cachedBlocksLeft &-= 1 }
        let fillsCache = isShort || options.fillCache
        if let cached = unsafe cachedBlock(index, tables, segment, marksUse: fillsCache) {
            shared = cached
            return .whole(cached)
        }
        let place = unsafe tables.pointee.index.place(index)
        let readsAhead = options.readAheadBytes > 0 && !isShort
        if place.isSplit, readsAhead || !(fillsCache && segment.admits(index, place)) {
            try beginWalk(index, place, of: segment, direction, readsAhead: readsAhead)
            return .split
        }
        if readsAhead { return .whole(try decode(index, place, of: segment, direction)) }
        let block = try unsafe segment.retainedBlock(index, tables, fillCache: fillsCache)
        shared = block
        return .whole(block)
    }

    /// Begins a split block in its stored form.
    private mutating func beginWalk(
        _ index: Int, _ place: BlockPlace, of segment: Segment, _ direction: Direction, readsAhead: Bool
    ) throws(StorageError) {
        let coders = try segment.coders(forBlock: index, place.codec)
        if readsAhead {
            let stored = try reader.read(index, of: segment, direction)
            try walk.enter(stored, place, coders, segment.file, direction)
        } else {
            segment.environment.cache.countMiss()
            try walk.read(place, coders, segment.file, direction)
        }
        chargeMemory(segment.environment.budget)
    }

    private mutating func chargeMemory(_ budget: MemoryBudget) {
        charge.set(reader.capacity + (own?.capacity ?? 0) + walk.capacity, on: budget)
    }

    private func cachedBlock(
        _ index: Int, _ tables: UnsafeMutablePointer<SegmentTables>, _ segment: Segment, marksUse: Bool
    ) -> DataBlock? {
        let domain = segment.domain
        let pin = domain.pin()
        defer { domain.unpin(pin) }
        guard let header = unsafe tables.pointee.slots[index].load(ordering: .acquiring) else { return nil }
        let block = unsafe DataBlock(header)
        // The pin keeps the cache's reference alive until this reference is taken.
        block.retain()
        if marksUse { block.touch() }
        segment.hints.countHit()
        return block
    }

    private mutating func decode(
        _ index: Int, _ place: BlockPlace, of segment: Segment, _ direction: Direction
    ) throws(StorageError) -> DataBlock {
        let stored = try reader.read(index, of: segment, direction)
        let block = ownMemory(place.memoryBytes)
        chargeMemory(segment.environment.budget)
        let coders = try segment.coders(forBlock: index, place.codec)
        try DataBlockReader.decode(stored, place, coders, into: block, segment.file, decompressorOrNew())
        return block
    }

    private mutating func decompressorOrNew() -> Decompressor {
        if let decompressor { return decompressor }
        let fresh = Decompressor()
        decompressor = fresh
        return fresh
    }

    private mutating func ownMemory(_ bytes: Int) -> DataBlock {
        if let own, own.capacity >= bytes { return own }
        own?.release()
        // Allocates a quarter more than needed, so that blocks of varying size don't each need new memory.
        let fresh = DataBlock.allocate(bytes: bytes + bytes / 4)
        own = fresh
        return fresh
    }
}
