import ShaleBase
import Synchronization

extension DataBlock {
    /// Returns the offset of the raw block in the allocation of a block with `count` entries.
    private static func rawOffset(_ count: Int) -> Int { (headsOffset + 16 * count + 8 + 63) & ~63 }

    static func bytesNeeded(count: Int, rawLength: Int) -> Int { rawOffset(count) + rawLength + slackBytes }

    /// Allocates a block on the heap with room for at least `bytes` and one reference. The caller fills and parses its
    /// content before use.
    static func allocate(bytes: Int) -> DataBlock { unsafe allocate(bytes: bytes, owner: nil) }

    /// Allocates like ``allocate(bytes:)``, for an owner that takes the block back.
    static func allocate(bytes: Int, owner: Unmanaged<BlockMemory>?) -> DataBlock {
        let capacity = (max(bytes, headsOffset) + 63) & ~63
        let memory = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 128)
        return unsafe DataBlock(initializing: memory, capacity: capacity, .heap, owner: owner)
    }

    /// Initializes a block with one reference in `memory`, which is aligned to a cache line.
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

    /// Returns the memory into which the raw block is read or decompressed: `rawLength` bytes, then the slack.
    func rawTarget(count: Int, rawLength: Int) -> MutableBytes {
        let offset = DataBlock.rawOffset(count)
        assert(offset + rawLength + DataBlock.slackBytes <= capacity)
        return unsafe MutableBytes(
            start: UnsafeMutableRawPointer(header) + offset, count: rawLength + DataBlock.slackBytes)
    }

    /// Adds a reference. The caller is pinned or already holds a reference, so the count is not zero.
    func retain() {
        unsafe links.pointee.references.add(1, ordering: .relaxed)
    }

    /// Releases one reference and frees the block with the last one.
    func release() {
        // Releasing orders this thread's use before the count. Acquiring orders every thread's use before the free.
        let (_, left) = unsafe links.pointee.references.subtract(1, ordering: .acquiringAndReleasing)
        assert(left >= 0)
        if left == 0 { free() }
    }

    /// Frees a block that has no other user.
    func free() {
        if let owner = unsafe links.pointee.owner {
            // The owner is retained during the call: this block may hold the last reference to it.
            unsafe owner.takeUnretainedValue().free(self)
        } else {
            deinitialize()
            unsafe UnsafeMutableRawPointer(header).deallocate()
        }
    }

    /// Deinitializes the block without freeing its memory.
    func deinitialize() {
        unsafe links.deinitialize(count: 1)
        unsafe header.deinitialize(count: 1)
    }
}
