import ShaleBase
import Synchronization

/// The data that a lookup needs of an open segment, as plain pointers, so that the read path counts no references.
@unsafe
struct SegmentTables {
    let index: SegmentIndex
    let filterLines: UnsafeRawPointer
    /// The number of the filter's lines; 0 if there is no filter.
    let filterLineCount: UInt32
    let slots: UnsafeMutablePointer<BlockSlot>

    /// Returns the filter's answer; true if there is no filter.
    @inline(__always)
    static func mayContain(_ hash: UInt64, _ tables: UnsafeMutablePointer<SegmentTables>) -> Bool {
        let lineCount = unsafe tables.pointee.filterLineCount
        return unsafe lineCount == 0 || SplitBlockFilter.mayContain(hash, tables.pointee.filterLines, lineCount)
    }

    /// Prefetches the line that ``mayContain(_:_:)`` reads, without waiting.
    @inline(__always)
    static func touchFilter(_ hash: UInt64, _ tables: UnsafeMutablePointer<SegmentTables>) {
        let lineCount = unsafe tables.pointee.filterLineCount
        if lineCount > 0 { unsafe SplitBlockFilter.touch(hash, tables.pointee.filterLines, lineCount) }
    }

    /// Prefetches the lines of a cached block that a lookup reads first. The calling thread is pinned.
    @inline(__always)
    static func touchBlock(_ index: Int, _ tables: UnsafeMutablePointer<SegmentTables>) {
        guard unsafe index < tables.pointee.index.count else { return }
        if let header = unsafe tables.pointee.slots[index].load(ordering: .acquiring) {
            unsafe DataBlock(header).touchForLookup()
        }
    }
}

/// The owner of the memory behind a ``SegmentTables``. Freed with its segment.
@safe
final class SegmentTableStorage: @unchecked Sendable {
    let tables: UnsafeMutablePointer<SegmentTables>
    let filter: OwnedBytes?
    private let rawIndex: OwnedBytes
    private let indexMemory: OwnedBytes
    let index: SegmentIndex
    let coders: SegmentCoders
    let compression: CompressionRecord?
    private let slots: UnsafeMutablePointer<BlockSlot>

    init(
        rawIndex: OwnedBytes, isSplit: Bool, filter: OwnedBytes?, coders: SegmentCoders,
        compression: CompressionRecord? = nil
    ) throws(ParseFailure) {
        let blockCount = try SegmentIndexParser.blockCount(rawIndex.bytes)
        let memory = OwnedBytes(count: SegmentIndexParser.bytesNeeded(blockCount: blockCount))
        let index = try SegmentIndexParser.parse(rawIndex.bytes, isSplit: isSplit, into: memory.mutable)
        let lineCount = try filter.map { filter throws(ParseFailure) in try SplitBlockFilter.parse(filter.bytes) } ?? 0
        self.rawIndex = rawIndex
        self.filter = filter
        self.coders = coders
        self.compression = compression
        self.index = index
        indexMemory = memory
        unsafe slots = .allocate(capacity: blockCount)
        for i in 0..<blockCount { unsafe (slots + i).initialize(to: BlockSlot(nil)) }
        let lines = unsafe (filter?.bytes ?? rawIndex.bytes).start + (filter == nil ? 0 : SplitBlockFilter.headerBytes)
        unsafe tables = .allocate(capacity: 1)
        unsafe tables.initialize(
            to: SegmentTables(index: index, filterLines: lines, filterLineCount: lineCount, slots: slots))
    }

    deinit {
        unsafe slots.deinitialize(count: index.count)
        unsafe slots.deallocate()
        unsafe tables.deallocate()
    }

    /// The memory that is taken while the segment is open, in bytes.
    var bytes: Int {
        rawIndex.count + indexMemory.count + (filter?.count ?? 0) + index.count * MemoryLayout<Int>.stride
    }
}
