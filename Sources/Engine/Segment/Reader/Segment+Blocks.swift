package import ShaleBase
import ShalePlatform
import Synchronization

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

extension Segment {
    /// Returns true if a key with an entry in `blocks` has more than one version. Reads the index only.
    package func hasVersions(inBlocks blocks: Range<Int>) throws(StorageError) -> Bool {
        try index().hasVersions(inBlocks: blocks)
    }

    /// Returns true if `block` begins with further versions of the previous block's last key.
    package func beginsWithinKey(_ block: Int) throws(StorageError) -> Bool {
        let index = try index()
        return block > 0 && index.continues(block - 1)
    }
}

extension Segment {
    /// Returns the dictionary for decompressing a block with this codec; `nil` if it needs none.
    func dictionary(forBlock block: Int, _ codec: StoredCodec) throws(StorageError) -> DigestedDictionary? {
        guard codec == .zstdDictionary else { return nil }
        return try dictionary(forBlock: block, in: dictionaries)
    }

    /// Returns the dictionary for a block from `dictionaries`, which were found without opening the segment.
    func dictionary(
        forBlock block: Int, in dictionaries: SegmentDictionaries?
    ) throws(StorageError) -> DigestedDictionary? {
        try dictionaries?.digested(forBlock: block) { (record) throws(StorageError) in
            let raw = try readDictionary(record)
            do throws(ParseFailure) {
                return try DigestedDictionary(raw.bytes)
            } catch {
                throw file.corruption(error.reason, at: record.handle.offset)
            }
        }
    }

    /// Returns the identifier of the dictionary that a block needs; `nil` if it needs none.
    package func dictionaryIdentifier(forBlock block: Int) throws(StorageError) -> UInt64? {
        try dictionary(forBlock: block, try index().codec(block))?.identifier
    }

    /// Returns the dictionary of a namespace's slice for further writes. Reads and verifies it again.
    package func blockDictionary(of namespace: NamespaceID) throws(StorageError) -> BlockDictionary? {
        try open()
        guard let record = dictionaries?.record(of: namespace) else { return nil }
        return BlockDictionary(try readDictionary(record), savedShare: record.savedShare)
    }

    private func readDictionary(_ record: DictionaryRecord) throws(StorageError) -> OwnedBytes {
        let scratch = environment.scratch.take()
        defer { environment.scratch.put(scratch) }
        return try SegmentLoader(file: file, scratch: scratch).block(record.handle, .dictionary)
    }
}
