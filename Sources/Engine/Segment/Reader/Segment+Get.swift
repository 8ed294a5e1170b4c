package import ShaleBase
import ShalePlatform
import Synchronization

extension Segment {
    /// The newest version of `key` with sequence ≤ `limit`, of whatever kind. `hash` is XXH3 of the encoded key.
    ///
    /// The calling thread is pinned in the environment's epoch domain, and what is returned is lent until it unpins.
    /// A hit takes no lock, counts no reference and allocates nothing. With `fillCache` false, a block that had to be
    /// read is dropped after use. `isLast` tells that the key is nowhere else if it is not here.
    package func get(
        _ key: Bytes, hash: UInt64, through limit: SequenceNumber, fillCache: Bool = true, isLast: Bool = false
    ) throws(StorageError) -> FoundEntry? {
        let tables = unsafe try tables()
        // A thread that finds what it looks for is not kept waiting by the filter: its block is on the way before the
        // filter's line has arrived.
        let expectsKey = isLast && notes.expectsKey
        if !expectsKey, unsafe !SegmentTables.mayContain(hash, tables) { return nil }
        let first = unsafe tables.pointee.index.find(key)
        if expectsKey {
            unsafe SegmentTables.touchBlock(first, tables)
            if unsafe !SegmentTables.mayContain(hash, tables) {
                notes.expect(key: false)
                return nil
            }
        }
        let found = unsafe try find(key, through: limit, from: first, tables, fillCache: fillCache)
        if isLast, found != nil { notes.expect(key: true) }
        return found
    }

    /// The same among the blocks from `index` on.
    @inline(__always)
    private func find(
        _ key: Bytes, through limit: SequenceNumber, from index: Int, _ tables: UnsafeMutablePointer<SegmentTables>,
        fillCache: Bool
    ) throws(StorageError) -> FoundEntry? {
        var index = index
        while unsafe index < tables.pointee.index.count {
            let block = unsafe try block(index, tables, fillCache: fillCache)
            switch block.find(key, through: limit) {
            case .found(let entry): return block.found(entry)
            case .absent: return nil
            case .undecided:
                guard unsafe tables.pointee.index.continues(index) else { return nil }
                index &+= 1
            }
        }
        return nil
    }

    /// A false answer is certain; a true one means that a lookup has to read. Never reads data.
    package func mayContain(_ hash: UInt64) throws(StorageError) -> Bool {
        unsafe SegmentTables.mayContain(hash, try tables())
    }

    /// Block `index`, lent until the calling thread unpins.
    @inline(__always)
    func block(
        _ index: Int, _ tables: UnsafeMutablePointer<SegmentTables>, fillCache: Bool
    ) throws(StorageError) -> DataBlock {
        if let header = unsafe tables.pointee.slots[index].load(ordering: .acquiring) {
            let block = unsafe DataBlock(header)
            block.touch()
            notes.countHit()
            return block
        }
        return unsafe try loadBlock(index, tables, fillCache: fillCache)
    }

    /// Reads a block, into the cache if it may enter; otherwise it is retired right away and lives as long as the pin.
    @inline(never)
    private func loadBlock(
        _ index: Int, _ tables: UnsafeMutablePointer<SegmentTables>, fillCache: Bool
    ) throws(StorageError) -> DataBlock {
        let block = try readBlock(index, unsafe tables.pointee.index.row(index), fillCache: fillCache)
        let cache = environment.cache
        cache.countMiss()
        guard block.mayBeCached else {
            cache.retire(block)
            return block
        }
        return unsafe cache.insert(block, into: tables.pointee.slots + index, fingerprint: fingerprint(index))
    }

    /// Reads a block, into the cache if it may enter, and returns it with a reference that is the caller's.
    func retainedBlock(
        _ index: Int, _ tables: UnsafeMutablePointer<SegmentTables>, fillCache: Bool
    ) throws(StorageError) -> DataBlock {
        let block = try readBlock(index, unsafe tables.pointee.index.row(index), fillCache: fillCache)
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

    /// Reads a block, into memory that the cache can take if it is to be filled. The caller gets its one reference.
    func readBlock(_ index: Int, _ row: IndexRow, fillCache: Bool) throws(StorageError) -> DataBlock {
        let dictionary = try dictionary(forBlock: index, row.codec)
        let scratch = environment.scratch.take()
        defer { environment.scratch.put(scratch) }
        let bytes = DataBlock.bytesNeeded(
            count: Int(row.statistics.entryCount), rawLength: Int(row.handle.rawLength))
        let block = environment.cache.makeBlock(bytes, fillCache: fillCache)
        try DataBlockReader.read(row, dictionary, of: file, scratch, into: block)
        return block
    }

    private func fingerprint(_ index: Int) -> UInt64 { Checksum.place(number, UInt64(index)) }
}
