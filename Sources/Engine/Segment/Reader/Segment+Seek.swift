import ShaleBase
import ShalePlatform
import Synchronization

extension Segment {
    /// Finds a block like ``findBlock(_:)``, for a cursor that will search it. If the block is cached, prefetches what
    /// the search reads first, so that the cache misses of a merge's sources overlap.
    func findAndTouchBlock(_ key: Bytes) throws(StorageError) -> Int {
        let tables = unsafe try tables()
        let found = unsafe tables.pointee.index.find(key)
        guard unsafe found < tables.pointee.index.count else { return found }
        let pin = domain.pin()
        defer { domain.unpin(pin) }
        if let header = unsafe tables.pointee.slots[found].load(ordering: .acquiring) {
            unsafe DataBlock(header).touchForSearch()
        }
        return found
    }
}
