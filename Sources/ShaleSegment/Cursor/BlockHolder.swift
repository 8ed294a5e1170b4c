import ShaleBase
import ShalePlatform
import Synchronization

/// The one block a cursor stands in, and what keeps it alive across pins: a counted reference to a shared block, or the
/// cursor's own memory.
@safe
struct BlockHolder: ~Copyable {
    private let options: ScanOptions
    private var shared: DataBlock?
    /// Reused from block to block when reading ahead.
    private var own: DataBlock?
    private var reader: StoredBlockReader
    private let scratch = ReadScratch()

    init(_ options: ScanOptions) {
        self.options = options
        reader = StoredBlockReader(pieceBytesMax: options.readAheadBytes, startsSmall: options.startsSmall)
    }

    deinit {
        shared?.release()
        own?.release()
    }

    /// Gives the current block back.
    mutating func drop() {
        shared?.release()
        shared = nil
    }

    /// The next block is not the neighbour of the last one.
    mutating func restart() { reader.restart() }

    /// Loads a block; valid until the next call.
    mutating func load(
        _ index: Int, of segment: Segment, _ direction: Direction
    ) throws(StorageError) -> DataBlock {
        drop()
        let tables = unsafe try segment.tables()
        if let cached = unsafe cachedBlock(index, tables, segment) {
            shared = cached
            return cached
        }
        if options.readAheadBytes > 0 {
            return try decode(index, unsafe tables.pointee.index.row(index), of: segment, direction)
        }
        let block = try unsafe segment.retainedBlock(index, tables, fillCache: options.fillCache)
        shared = block
        return block
    }

    private func cachedBlock(
        _ index: Int, _ tables: UnsafeMutablePointer<SegmentTables>, _ segment: Segment
    ) -> DataBlock? {
        let domain = segment.environment.domain
        let pin = domain.pin()
        defer { domain.unpin(pin) }
        guard let header = unsafe tables.pointee.slots[index].load(ordering: .acquiring) else { return nil }
        let block = unsafe DataBlock(header)
        // The pin keeps the cache's reference in place while this one is taken.
        block.retain()
        if options.fillCache { block.touch() }
        segment.hits.count()
        return block
    }

    private mutating func decode(
        _ index: Int, _ row: IndexRow, of segment: Segment, _ direction: Direction
    ) throws(StorageError) -> DataBlock {
        let stored = try reader.read(index, of: segment, direction)
        let bytes = DataBlock.bytesNeeded(
            count: Int(row.statistics.entryCount), rawLength: Int(row.handle.rawLength))
        let block = ownMemory(bytes)
        try DataBlockReader.decode(stored, row, into: block, segment.file, scratch.decompressor)
        return block
    }

    private mutating func ownMemory(_ bytes: Int) -> DataBlock {
        if let own, own.capacity >= bytes { return own }
        own?.release()
        // Somewhat more than asked, so that blocks of varying size don't each need new memory.
        let fresh = DataBlock.allocate(bytes: bytes + bytes / 4)
        own = fresh
        return fresh
    }
}
