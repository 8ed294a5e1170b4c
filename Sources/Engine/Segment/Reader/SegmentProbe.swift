package import ShaleBase
import Synchronization

/// The steps of a lookup one at a time, so that each can be measured by itself: ``Segment/get(_:hash:through:fillCache:)``
/// is what readers call.
///
/// The segment and the calling thread's pin outlive the probe and what it returns.
@safe
package struct SegmentProbe {
    /// A cached block.
    package struct Block {
        fileprivate let data: DataBlock

        package var entryCount: Int { data.count }

        /// The first entry whose key is ≥ `key`, or ``entryCount``.
        package func search(_ key: Bytes) -> Int { data.lowerBound(key) }

        /// The value of an entry. O(1).
        package func value(_ index: Int) -> Bytes { data.value(index) }
    }

    private let segment: Segment
    private let tables: UnsafeMutablePointer<SegmentTables>

    /// Opens the segment if that has not happened yet.
    package init(_ segment: Segment) throws(StorageError) {
        self.segment = segment
        unsafe tables = try segment.tables()
    }

    /// Block `index` from the cache, or read into it.
    package func block(_ index: Int) throws(StorageError) -> Block {
        Block(data: unsafe try segment.block(index, tables, fillCache: true))
    }
}
