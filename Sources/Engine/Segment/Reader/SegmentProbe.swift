package import ShaleBase
import Synchronization

/// The steps of a lookup one at a time, so that each can be measured.
///
/// Readers call ``Segment/get(_:hash:through:fillCache:isLast:)`` instead.
///
/// The segment and the calling thread's pin outlive the probe and its results.
@safe
package struct SegmentProbe {
    /// A cached block.
    package struct Block {
        fileprivate let data: DataBlock

        package var entryCount: Int { data.count }

        /// Returns the first entry with key ≥ `key`, or ``entryCount``.
        package func search(_ key: Bytes) -> Int { data.lowerBound(key) }

        /// Returns the value of an entry. O(1).
        package func value(_ index: Int) -> Bytes { data.value(index) }
    }

    private let segment: Segment
    private let tables: UnsafeMutablePointer<SegmentTables>

    /// Makes a probe; opens the segment if it is not open.
    package init(_ segment: Segment) throws(StorageError) {
        self.segment = segment
        unsafe tables = try segment.tables()
    }

    /// Returns block `index`, from the cache or read into it.
    package func block(_ index: Int) throws(StorageError) -> Block {
        Block(data: unsafe try segment.block(index, tables, fillCache: true))
    }
}
