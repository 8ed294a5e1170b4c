package import ShaleBase

/// Block-level queries for pickers and compactions. They load the index if necessary; only functions that say so read
/// data.
extension Segment {
    func index() throws(StorageError) -> SegmentIndex { unsafe try tables().pointee.index }

    package func blockCount() throws(StorageError) -> Int { try index().count }

    package func indexRow(_ block: Int) throws(StorageError) -> IndexRow { try index().row(block) }

    /// Returns a key ≥ the block's last key and below the next block's first key.
    package func separator(_ block: Int) throws(StorageError) -> [UInt8] { try index().separator(block) }

    /// Divides the data into about `count` ordered pieces of adjacent blocks.
    ///
    /// Returns the last block's separator and the raw bytes of each.
    package func pieces(_ count: Int) throws(StorageError) -> [(separator: [UInt8], rawBytes: UInt64)] {
        let index = try index()
        let step = max(1, index.count / max(1, count))
        return stride(from: 0, to: index.count, by: step).map { first in
            let end = min(first + step, index.count)
            let bytes = (first..<end).reduce(UInt64(0)) { $0 + UInt64(index.rawLength($1)) }
            return (index.separator(end - 1), bytes)
        }
    }

    /// Returns the first block that may hold a key ≥ `key`; the block count if there is none.
    package func findBlock(_ key: Bytes) throws(StorageError) -> Int { try index().find(key) }

    /// Returns the last key of a block. Reads the block unless it is the segment's last one.
    func lastKey(ofBlock block: Int) throws(StorageError) -> [UInt8] {
        let index = try index()
        if block == index.count - 1 { return metadata.largestKey }
        let data = try readBlock(block, index.row(block), fillCache: false)
        defer { data.release() }
        return data.key(data.count - 1)
    }

    /// Verifies and decodes a stored block, as read with its trailer. The caller owns the one reference.
    func decode(_ stored: Bytes, _ index: Int, _ row: IndexRow) throws(StorageError) -> DataBlock {
        try decode(stored, row, try dictionary(forBlock: index, row.codec))
    }

    /// Verifies and decodes a stored block with `dictionary`, which is `nil` if the block needs none.
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
