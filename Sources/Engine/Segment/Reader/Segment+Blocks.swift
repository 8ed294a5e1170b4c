package import ShaleBase

/// What pickers and compactions ask of a segment's blocks. Everything here loads the index if need be; only functions
/// that say so read data.
extension Segment {
    func index() throws(StorageError) -> SegmentIndex { unsafe try tables().pointee.index }

    package func blockCount() throws(StorageError) -> Int { try index().count }

    package func indexRow(_ block: Int) throws(StorageError) -> IndexRow { try index().row(block) }

    /// A key ≥ the block's last key, below the next block's first key.
    package func separator(_ block: Int) throws(StorageError) -> [UInt8] { try index().separator(block) }

    /// The data in about `count` pieces of neighbouring blocks, in order: of each its last block's separator, and its raw
    /// bytes.
    package func pieces(_ count: Int) throws(StorageError) -> [(separator: [UInt8], rawBytes: UInt64)] {
        let index = try index()
        let step = max(1, index.count / max(1, count))
        return stride(from: 0, to: index.count, by: step).map { first in
            let end = min(first + step, index.count)
            let bytes = (first..<end).reduce(UInt64(0)) { $0 + UInt64(index.rawLength($1)) }
            return (index.separator(end - 1), bytes)
        }
    }

    /// The first block that may hold a key ≥ `key`; the block count when there is none.
    package func findBlock(_ key: Bytes) throws(StorageError) -> Int { try index().find(key) }

    /// The last key of a block. Reads the block unless it is the segment's last.
    func lastKey(ofBlock block: Int) throws(StorageError) -> [UInt8] {
        let index = try index()
        if block == index.count - 1 { return metadata.largestKey }
        let data = try readBlock(block, index.row(block), fillCache: false)
        defer { data.release() }
        return data.key(data.count - 1)
    }

    /// Decodes a stored block, as read with its trailer, after verifying it. The caller gets its one reference.
    func decode(_ stored: Bytes, _ index: Int, _ row: IndexRow) throws(StorageError) -> DataBlock {
        try decode(stored, row, try dictionary(forBlock: index, row.codec))
    }

    /// The same with the dictionary that the block needs, if it needs one.
    func decode(
        _ stored: Bytes, _ row: IndexRow, _ dictionary: DigestedDictionary?
    ) throws(StorageError) -> DataBlock {
        let bytes = DataBlock.bytesNeeded(
            count: Int(row.statistics.entryCount), rawLength: Int(row.handle.rawLength))
        let block = DataBlock.allocate(bytes: bytes)
        let scratch = environment.scratch.take()
        defer { environment.scratch.put(scratch) }
        do {
            try DataBlockReader.decode(stored, row, dictionary, into: block, file, scratch.decompressor)
        } catch {
            block.free()
            throw error
        }
        return block
    }
}
