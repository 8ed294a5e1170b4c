/// A FIFO queue of cached blocks, linked through their headers. Guarded by the cache's lock.
@safe
struct BlockQueue {
    /// The queue that a block is in.
    enum Name: UInt8 {
        case none
        case small
        case main
    }

    let name: Name
    private var newest: UnsafeMutablePointer<DataBlockHeader>?
    private var oldest: UnsafeMutablePointer<DataBlockHeader>?
    private(set) var bytes = 0
    private(set) var count = 0

    init(_ name: Name) {
        self.name = name
        unsafe newest = nil
        unsafe oldest = nil
    }

    mutating func append(_ block: DataBlock) {
        unsafe block.links.pointee.newer = nil
        unsafe block.links.pointee.older = newest
        if let newest = unsafe newest {
            unsafe DataBlock(newest).links.pointee.newer = block.header
        } else {
            unsafe oldest = block.header
        }
        unsafe newest = block.header
        unsafe block.links.pointee.queue = name
        bytes += block.capacity
        count += 1
    }

    mutating func removeOldest() -> DataBlock? {
        guard let header = unsafe oldest else { return nil }
        let block = unsafe DataBlock(header)
        remove(block)
        return block
    }

    mutating func remove(_ block: DataBlock) {
        let links = unsafe block.links
        let newer = unsafe links.pointee.newer
        let older = unsafe links.pointee.older
        if let newer = unsafe newer {
            unsafe DataBlock(newer).links.pointee.older = older
        } else {
            unsafe newest = older
        }
        if let older = unsafe older {
            unsafe DataBlock(older).links.pointee.newer = newer
        } else {
            unsafe oldest = newer
        }
        unsafe links.pointee.newer = nil
        unsafe links.pointee.older = nil
        unsafe links.pointee.queue = .none
        bytes -= block.capacity
        count -= 1
    }
}
