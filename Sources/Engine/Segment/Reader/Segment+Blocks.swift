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
        let data = try readBlock(block, index.place(block), fillCache: false)
        defer { data.release() }
        return data.key(data.count - 1)
    }

    /// Verifies and decodes a stored block, as read with its trailer. The caller owns the one reference.
    func decode(_ stored: Bytes, _ index: Int, _ place: BlockPlace) throws(StorageError) -> DataBlock {
        try decode(stored, place, try coders(forBlock: index, place.codec))
    }

    /// Verifies and decodes a stored block with `coders`, which has what the block needs.
    func decode(
        _ stored: Bytes, _ place: BlockPlace, _ coders: BlockCoders
    ) throws(StorageError) -> DataBlock {
        let block = DataBlock.allocate(bytes: place.memoryBytes)
        let scratch = environment.scratch.take()
        defer { environment.scratch.put(scratch) }
        do {
            try DataBlockReader.decode(stored, place, coders, into: block, file, scratch.decompressor)
        } catch {
            block.free()
            throw error
        }
        return block
    }
}

extension Segment {
    /// Finds a block like ``findBlock(_:)``, for a cursor that will search it. Prefetches what the search reads first,
    /// of a cached block or of a mapped key part, so that the cache misses of a merge's sources overlap.
    func findAndTouchBlock(_ key: Bytes) throws(StorageError) -> Int {
        let tables = unsafe try tables()
        let found = unsafe tables.pointee.index.find(key)
        guard unsafe found < tables.pointee.index.count else { return found }
        let pin = domain.pin()
        defer { domain.unpin(pin) }
        if let header = unsafe tables.pointee.slots[found].load(ordering: .acquiring) {
            unsafe DataBlock(header).touchForSearch()
        } else if environment.files.mapsFiles {
            let place = unsafe tables.pointee.index.place(found)
            if place.isSplit { file.touch(place.keyPartBytes, at: place.handle.offset) }
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
    /// Returns what decoding a block with this codec needs.
    func coders(forBlock block: Int, _ codec: StoredCodec) throws(StorageError) -> BlockCoders {
        guard codec == .zstdDictionary || codec == .valueCode else { return BlockCoders() }
        return try self.coders.map { (all) throws(StorageError) in try coders(forBlock: block, codec, in: all) }
            ?? BlockCoders()
    }

    /// Returns what decoding a block needs from `all`, which was found without opening the segment. What is missing
    /// there is missing in the result.
    func coders(
        forBlock block: Int, _ codec: StoredCodec, in all: SegmentCoders
    ) throws(StorageError) -> BlockCoders {
        switch codec {
        case .none, .lz4, .zstd: return BlockCoders()
        case .zstdDictionary:
            let dictionary = try all.dictionaries.coder(forBlock: block) { (record) throws(StorageError) in
                try digest(record, .dictionary) { (raw) throws(ParseFailure) in try DigestedDictionary(raw) }
            }
            return BlockCoders(dictionary: dictionary)
        case .valueCode:
            let code = try all.codes.coder(forBlock: block) { (record) throws(StorageError) in
                try digest(record, .valueCode) { (raw) throws(ParseFailure) in try ValueCode(parsing: raw) }
            }
            return BlockCoders(code: code)
        }
    }

    private func digest<Coder>(
        _ record: SliceCoderRecord, _ type: BlockType, _ make: (Bytes) throws(ParseFailure) -> Coder
    ) throws(StorageError) -> Coder {
        let raw = try read(record, type)
        do throws(ParseFailure) {
            return try make(raw.bytes)
        } catch {
            throw file.corruption(error.reason, at: record.handle.offset)
        }
    }

    /// Returns the identifier of the dictionary or value code that a block needs; `nil` if it needs none.
    package func coderIdentifier(forBlock block: Int) throws(StorageError) -> UInt64? {
        try coders(forBlock: block, try index().codec(block)).identifier
    }

    /// Returns the dictionary of a namespace's slice for further writes. Reads and verifies it again.
    package func blockDictionary(of namespace: NamespaceID) throws(StorageError) -> BlockDictionary? {
        try open()
        guard let record = coders?.dictionaries.record(of: namespace) else { return nil }
        return BlockDictionary(try read(record, .dictionary), savedShare: record.savedShare)
    }

    /// Returns the value code of a namespace's slice for further writes. Reads and verifies it again.
    package func sliceCode(of namespace: NamespaceID) throws(StorageError) -> SliceCode? {
        try open()
        guard let record = coders?.codes.record(of: namespace) else { return nil }
        let code = try digest(record, .valueCode) { (raw) throws(ParseFailure) in try ValueCode(parsing: raw) }
        return SliceCode(code, savedShare: record.savedShare)
    }

    private func read(_ record: SliceCoderRecord, _ type: BlockType) throws(StorageError) -> OwnedBytes {
        let scratch = environment.scratch.take()
        defer { environment.scratch.put(scratch) }
        return try SegmentLoader(file: file, scratch: scratch).block(record.handle, type)
    }
}
