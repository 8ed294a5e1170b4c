package import ShaleBase
import ShaleValues

/// The part of large values that the verification of a segment reads.
package enum ValueVerification: Sendable {
    /// Reads every value to which an entry refers, in every file.
    case whole
    /// Reads values of these files as headers only: they have the records to which entries refer. Reads values of other
    /// files whole.
    case headers(of: Set<UInt64>)

    fileprivate func verify(_ reference: ValueReference, in source: ValueSource) throws(StorageError) {
        let file = source.file(reference.file)
        if case .headers(let files) = self, files.contains(reference.file) {
            if PlantedBug.isActive(.trustValueNames) { return }
            try file.verifyHeader(of: reference)
        } else {
            try file.verify(reference)
        }
    }
}

extension Segment {
    /// Reads the whole segment and verifies everything: checksums, the order of entries, the counts of index and
    /// directory, the separators, and that the filter contains every key.
    ///
    /// It also reads the values in value files to which entries refer. Errors name file and offset.
    ///
    /// - Parameters:
    ///   - values: The part of these values that is read.
    ///   - progress: Called after every block with its stored bytes. May throw to stop.
    package func verify(
        values: ValueVerification = .whole, _ progress: (UInt64) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) {
        try verify(blocks: 0..<index().count, values: values, progress)
    }

    /// Verifies a range of adjacent blocks, and the transition from the block before.
    ///
    /// Several threads may verify different ranges at the same time.
    ///
    /// If the block before is damaged, the range that contains it reports the damage.
    package func verify(
        blocks: Range<Int>, values: ValueVerification = .whole,
        _ progress: (UInt64) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) {
        let index = try index()
        var verifier = unsafe SegmentVerifier(segment: self, values: values, index: index, tables: try tables())
        try verifier.begin(before: blocks.lowerBound)
        for block in blocks {
            try verifier.verify(block)
            try progress(index.blockOffset(block + 1) - index.blockOffset(block))
        }
        if blocks.upperBound == index.count { try verifier.verifyEnd() }
    }

    /// Divides all blocks into ranges of about `bytes` stored bytes. Loads the index.
    package func blockRanges(ofBytes bytes: UInt64) throws(StorageError) -> [Range<Int>] {
        let index = try index()
        var ranges: [Range<Int>] = []
        var start = 0
        for block in 0..<index.count
        where block + 1 == index.count || index.blockOffset(block + 1) - index.blockOffset(start) >= bytes {
            ranges.append(start..<block + 1)
            start = block + 1
        }
        return ranges
    }
}

@safe
private struct SegmentVerifier: ~Copyable {
    let segment: Segment
    let values: ValueVerification
    let index: SegmentIndex
    /// The segment's tables, which live as long as the segment.
    private let tables: UnsafeMutablePointer<SegmentTables>
    private var reader = StoredBlockReader()
    private let decompressor = Decompressor()
    /// The memory of the current block; the next block replaces it.
    private var memory = ByteBuffer()
    private var last: Last?
    private var key = ByteBuffer()
    private var hashes = ByteBuffer()

    /// The end of the previous block; `nil` if there is none or it can't be read.
    private struct Last {
        let key: [UInt8]
        let trailer: Trailer
        let separator: [UInt8]
    }

    init(
        segment: Segment, values: ValueVerification, index: SegmentIndex, tables: UnsafeMutablePointer<SegmentTables>
    ) {
        self.segment = segment
        self.values = values
        self.index = index
        unsafe self.tables = unsafe tables
    }

    mutating func begin(before number: Int) throws(StorageError) {
        guard number > 0 else { return }
        do {
            let block = try segment.readBlock(number - 1, index.place(number - 1), fillCache: false)
            defer { block.release() }
            last = end(of: block, number - 1)
        } catch {
            guard error.code == .corruption else { throw error }
        }
    }

    private func end(of block: DataBlock, _ number: Int) -> Last {
        Last(
            key: block.key(block.count - 1), trailer: block.trailer(block.count - 1),
            separator: index.separator(number))
    }

    mutating func verify(_ number: Int) throws(StorageError) {
        let row = index.row(number)
        let block = try decode(number, row.place)
        defer { block.deinitialize() }
        let end = end(of: block, number)
        do {
            try verifyStart(block, number)
            try verifyEntries(block, row)
            try verifySeparator(end, number)
        } catch {
            throw segment.file.corruption(error.reason, at: row.handle.offset)
        }
        last = end
        if !segment.metadata.values.isEmpty { try verifyValues(block, row) }
    }

    /// Checks every value to which the block refers.
    private func verifyValues(_ block: DataBlock, _ row: IndexRow) throws(StorageError) {
        for i in 0..<block.count where block.trailer(i).kind.isReference {
            let reference: ValueReference
            do {
                reference = try ValueReference(decoding: block.columns.value(i))
            } catch {
                throw segment.file.corruption(error.reason, at: row.handle.offset)
            }
            try values.verify(reference, in: segment.valueSource)
        }
    }

    /// Decodes a block into `memory`.
    private mutating func decode(_ number: Int, _ place: BlockPlace) throws(StorageError) -> DataBlock {
        let stored = try reader.read(number, of: segment, .forward)
        let coders = try segment.coders(forBlock: number, place.codec)
        memory.removeAll()
        let room = memory.extend((place.memoryBytes + 63) & ~63)
        let block = unsafe DataBlock(initializing: room.start, capacity: room.count, .heap, owner: nil)
        do {
            try DataBlockReader.decode(stored, place, coders, into: block, segment.file, decompressor)
        } catch {
            block.deinitialize()
            throw error
        }
        return block
    }

    func verifyEnd() throws(StorageError) {
        guard last?.key == segment.metadata.largestKey else {
            throw segment.file.corruption(
                "the last key differs from the recorded largest key", at: index.blockOffset(index.count - 1))
        }
    }

    private func verifyStart(_ block: DataBlock, _ number: Int) throws(ParseFailure) {
        let first = block.key(0)
        guard number > 0 else {
            guard first == segment.metadata.smallestKey else {
                throw ParseFailure("the first key differs from the recorded smallest key")
            }
            return
        }
        guard let last else { return }
        let continues = first == last.key
        guard continues == index.continues(number - 1) else {
            throw ParseFailure("the index is wrong about versions that continue in this block")
        }
        let isOrdered =
            continues
            ? last.trailer.rawValue > block.trailer(0).rawValue : last.separator.lexicographicallyPrecedes(first)
        guard isOrdered else { throw ParseFailure("the first entry is not above the previous block") }
    }

    private mutating func verifyEntries(_ block: DataBlock, _ row: IndexRow) throws(ParseFailure) {
        var statistics = BlockStatistics()
        statistics.hasVersions = block.hasVersions
        let (columns, count, prefixCount) = (block.columns, block.count, block.prefixCount)
        key.removeAll()
        key.append(block.prefix)
        key.reserve(block.suffixCountMax)
        hashes.removeAll()
        let kept = hashes.extend(8 &* count)
        for i in 0..<count {
            let suffix = columns.suffix(i)
            let length = prefixCount &+ suffix.count &+ columns.value(i).count
            statistics.add(columns.trailer(i), expiry: columns.expiry(i), bytes: length)
            key.count = prefixCount
            key.append(suffix)
            let hash = XXH3.hash(key.bytes)
            // Prefetches the filter's lines and checks them after the loop: a filter is larger than the processor's
            // caches.
            unsafe SegmentTables.touchFilter(hash, tables)
            kept.store(hash, at: 8 &* i)
        }
        guard statistics == row.statistics else { throw ParseFailure("the index's counts differ from the block's") }
        for i in 0..<count where unsafe !SegmentTables.mayContain(hashes.bytes.u64(at: 8 &* i), tables) {
            throw ParseFailure("the filter lacks a key")
        }
    }

    private func verifySeparator(_ end: Last, _ number: Int) throws(ParseFailure) {
        guard !end.separator.lexicographicallyPrecedes(end.key) else {
            throw ParseFailure("the separator is below the last key")
        }
        guard end.key.starts(with: EncodedKey.start(of: index.namespace(number))) else {
            throw ParseFailure("the separator is of another namespace")
        }
    }
}
