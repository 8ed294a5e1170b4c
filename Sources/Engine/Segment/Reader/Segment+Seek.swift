import ShaleBase
import ShalePlatform
import Synchronization

extension Segment {
    /// ``findBlock(_:)`` for a cursor that will search the block: if it is cached, starts fetching what that reads first, so
    /// that a merge can find its places in all sources before it waits for the first.
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
