package import ShaleBase
import ShalePlatform
import Synchronization

extension Segment {
    /// Returns the newest version of `key` with sequence ≤ `limit`, of any kind.
    ///
    /// The calling thread is pinned in the environment's epoch domain; the result is borrowed until it unpins. A cache
    /// hit takes no lock, counts no reference and allocates nothing.
    ///
    /// - Parameters:
    ///   - hash: XXH3 of the encoded key.
    ///   - fillCache: If false, a block that had to be read is released after use.
    ///   - isLast: True if this is the last place of the search, so that a key that is not here does not exist.
    package func get(
        _ key: Bytes, hash: UInt64, through limit: SequenceNumber, fillCache: Bool = true, isLast: Bool = false
    ) throws(StorageError) -> FoundEntry? {
        let tables = unsafe try tables()
        // A thread whose last lookup succeeded does not wait for the filter: it prefetches the block before the
        // filter's line has arrived.
        let expectsKey = isLast && hints.expectsKey
        if !expectsKey, unsafe !SegmentTables.mayContain(hash, tables) { return nil }
        let first = unsafe tables.pointee.index.find(key)
        if expectsKey {
            unsafe SegmentTables.touchBlock(first, tables)
            if unsafe !SegmentTables.mayContain(hash, tables) {
                hints.expect(key: false)
                return nil
            }
        }
        let found = unsafe try find(key, through: limit, from: first, tables, fillCache: fillCache)
        if isLast, found != nil { hints.expect(key: true) }
        return found
    }

    /// Searches the blocks from `index` on.
    @inline(__always)
    private func find(
        _ key: Bytes, through limit: SequenceNumber, from index: Int, _ tables: UnsafeMutablePointer<SegmentTables>,
        fillCache: Bool
    ) throws(StorageError) -> FoundEntry? {
        var index = index
        while unsafe index < tables.pointee.index.count {
            switch unsafe try lookUp(key, through: limit, inBlock: index, tables, fillCache: fillCache) {
            case .found(let entry): return entry
            case .absent: return nil
            case .undecided:
                guard unsafe tables.pointee.index.continues(index) else { return nil }
                index &+= 1
            }
        }
        return nil
    }

    @inline(__always)
    private func lookUp(
        _ key: Bytes, through limit: SequenceNumber, inBlock index: Int, _ tables: UnsafeMutablePointer<SegmentTables>,
        fillCache: Bool
    ) throws(StorageError) -> BlockLookup {
        guard let block = unsafe cachedBlock(index, tables) else {
            return unsafe try findUncached(key, through: limit, inBlock: index, tables, fillCache: fillCache)
        }
        return block.lookUp(key, through: limit)
    }

    /// Returns false if the key is certainly absent. True means that a lookup has to read. Never reads data.
    package func mayContain(_ hash: UInt64) throws(StorageError) -> Bool {
        unsafe SegmentTables.mayContain(hash, try tables())
    }

    /// Returns block `index`, borrowed until the calling thread unpins.
    @inline(__always)
    func block(
        _ index: Int, _ tables: UnsafeMutablePointer<SegmentTables>, fillCache: Bool
    ) throws(StorageError) -> DataBlock {
        if let block = unsafe cachedBlock(index, tables) { return block }
        return unsafe try loadBlock(index, tables, fillCache: fillCache)
    }

    /// Returns block `index` if it is in the cache, borrowed until the calling thread unpins.
    @inline(__always)
    private func cachedBlock(_ index: Int, _ tables: UnsafeMutablePointer<SegmentTables>) -> DataBlock? {
        guard let header = unsafe tables.pointee.slots[index].load(ordering: .acquiring) else { return nil }
        let block = unsafe DataBlock(header)
        block.touch()
        hints.countHit()
        return block
    }

    /// Reads a block and inserts it into the cache if possible. Otherwise retires it at once, so that it lives as long
    /// as the pin.
    @inline(never)
    private func loadBlock(
        _ index: Int, _ tables: UnsafeMutablePointer<SegmentTables>, fillCache: Bool
    ) throws(StorageError) -> DataBlock {
        let block = try readBlock(index, unsafe tables.pointee.index.place(index), fillCache: fillCache)
        let cache = environment.cache
        cache.countMiss()
        guard block.mayBeCached else {
            cache.retire(block)
            return block
        }
        return unsafe cache.insert(block, into: tables.pointee.slots + index, fingerprint: fingerprint(index))
    }

    /// Reads a block, inserts it into the cache if possible, and returns it with a reference owned by the caller.
    func retainedBlock(
        _ index: Int, _ tables: UnsafeMutablePointer<SegmentTables>, fillCache: Bool
    ) throws(StorageError) -> DataBlock {
        let block = try readBlock(index, unsafe tables.pointee.index.place(index), fillCache: fillCache)
        let cache = environment.cache
        cache.countMiss()
        guard block.mayBeCached else { return block }
        let pin = environment.domain.pin()
        defer { environment.domain.unpin(pin) }
        let present = unsafe cache.insert(
            block, into: tables.pointee.slots + index, fingerprint: fingerprint(index))
        present.retain()
        return present
    }

    /// Reads a block, into cacheable memory if `fillCache` is true. The caller owns the one reference.
    func readBlock(_ index: Int, _ place: BlockPlace, fillCache: Bool) throws(StorageError) -> DataBlock {
        let coders = try coders(forBlock: index, place.codec)
        let scratch = environment.scratch.take()
        defer { environment.scratch.put(scratch) }
        let block = environment.cache.makeBlock(place.memoryBytes, fillCache: fillCache)
        try DataBlockReader.read(place, coders, of: file, scratch, into: block)
        return block
    }

    func fingerprint(_ index: Int) -> UInt64 { Checksum.place(number, UInt64(index)) }
}

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
