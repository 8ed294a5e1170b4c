import ShaleBase
import Synchronization

extension DataBlock {
    /// Where the raw block starts in the allocation of a block of `count` entries.
    private static func rawOffset(_ count: Int) -> Int { (headsOffset + 16 * count + 8 + 63) & ~63 }

    static func bytesNeeded(count: Int, rawLength: Int) -> Int { rawOffset(count) + rawLength + slackBytes }

    /// A block from the heap with room for at least `bytes`, with one reference. Its content has to be filled and parsed
    /// before use.
    static func allocate(bytes: Int) -> DataBlock { unsafe allocate(bytes: bytes, owner: nil) }

    /// The same with an owner that takes it back.
    static func allocate(bytes: Int, owner: Unmanaged<BlockMemory>?) -> DataBlock {
        let capacity = (max(bytes, headsOffset) + 63) & ~63
        let memory = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 128)
        return unsafe DataBlock(initializing: memory, capacity: capacity, .heap, owner: owner)
    }

    /// Begins a block, with one reference, in `memory`, which is aligned to a cache line.
    init(
        initializing memory: UnsafeMutableRawPointer, capacity: Int, _ home: BlockHome,
        owner: Unmanaged<BlockMemory>?
    ) {
        unsafe assert(MemoryLayout<DataBlockHeader>.size == DataBlock.prefixCopyOffset)
        unsafe assert(MemoryLayout<DataBlockLinks>.size <= DataBlock.headsOffset - DataBlock.linksOffset)
        let header = unsafe memory.bindMemory(to: DataBlockHeader.self, capacity: 1)
        unsafe header.initialize(to: DataBlockHeader())
        let links = unsafe (memory + DataBlock.linksOffset).bindMemory(to: DataBlockLinks.self, capacity: 1)
        unsafe links.initialize(to: DataBlockLinks(capacity: capacity, home, owner: owner))
        unsafe self.init(header)
    }

    /// The part of the allocation that the raw block is read or decompressed into: `rawLength` bytes and, behind them,
    /// the slack.
    func rawTarget(count: Int, rawLength: Int) -> MutableBytes {
        let offset = DataBlock.rawOffset(count)
        assert(offset + rawLength + DataBlock.slackBytes <= capacity)
        return unsafe MutableBytes(
            start: UnsafeMutableRawPointer(header) + offset, count: rawLength + DataBlock.slackBytes)
    }

    /// One more reference. The caller is pinned, or holds a reference already: the count is not zero.
    func retain() {
        unsafe links.pointee.references.add(1, ordering: .relaxed)
    }

    /// Gives one reference back and frees the block with the last one.
    func release() {
        // Releasing orders this thread's use before the count; acquiring orders everybody's use before the free.
        let (_, left) = unsafe links.pointee.references.subtract(1, ordering: .acquiringAndReleasing)
        assert(left >= 0)
        if left == 0 { free() }
    }

    /// Frees a block that nobody else uses.
    func free() {
        if let owner = unsafe links.pointee.owner {
            // Retained meanwhile: the block may be the last that keeps its owner.
            unsafe owner.takeUnretainedValue().free(self)
        } else {
            deinitialize()
            unsafe UnsafeMutableRawPointer(header).deallocate()
        }
    }

    /// Ends the block's life and leaves its memory.
    func deinitialize() {
        unsafe links.deinitialize(count: 1)
        unsafe header.deinitialize(count: 1)
    }
}
