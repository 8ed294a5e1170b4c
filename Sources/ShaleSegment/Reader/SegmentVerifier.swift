package import ShaleBase

extension Segment {
    /// Reads the whole segment and checks everything: checksums, the order of entries, that index and directory count
    /// what is there, that separators separate, that the filter contains every key. `progress` gets the bytes read so
    /// far after every block, and may throw to stop. Errors name file and offset.
    package func verify(_ progress: (UInt64) throws(StorageError) -> Void = { _ in }) throws(StorageError) {
        let index = try index()
        var verifier = SegmentVerifier(segment: self, index: index)
        for block in 0..<index.count {
            try verifier.verify(block)
            try progress(index.blockOffset(block + 1))
        }
        try verifier.verifyEnd()
    }
}

private struct SegmentVerifier: ~Copyable {
    let segment: Segment
    let index: SegmentIndex
    private var reader = StoredBlockReader(pieceBytesMax: 1 << 20)
    private var lastKey: [UInt8] = []
    private var lastTrailer = Trailer(rawValue: 0)
    private var key = ByteBuffer()

    init(segment: Segment, index: SegmentIndex) {
        self.segment = segment
        self.index = index
    }

    mutating func verify(_ number: Int) throws(StorageError) {
        let row = index.row(number)
        let block = try segment.decode(try reader.read(number, of: segment, .forward), number, row)
        defer { block.release() }
        do {
            try verifyStart(block, number)
            try verifyEntries(block, row)
            try verifySeparator(block, number)
        } catch {
            throw segment.file.corruption(error.reason, at: row.handle.offset)
        }
        lastKey = block.key(block.count - 1)
        lastTrailer = block.trailer(block.count - 1)
    }

    func verifyEnd() throws(StorageError) {
        guard lastKey == segment.metadata.largestKey else {
            throw segment.file.corruption(
                "the last key is not the largest one recorded", at: index.blockOffset(index.count - 1))
        }
    }

    private func verifyStart(_ block: DataBlock, _ number: Int) throws(ParseFailure) {
        let first = block.key(0)
        guard number > 0 else {
            guard first == segment.metadata.smallestKey else {
                throw ParseFailure("the first key is not the smallest one recorded")
            }
            return
        }
        let continues = first == lastKey
        guard continues == index.continues(number - 1) else {
            throw ParseFailure("the index is wrong about versions that go on in this block")
        }
        let isOrdered =
            continues
            ? lastTrailer.rawValue > block.trailer(0).rawValue
            : index.separator(number - 1).lexicographicallyPrecedes(first)
        guard isOrdered else { throw ParseFailure("the first entry is not above the block before") }
    }

    private mutating func verifyEntries(_ block: DataBlock, _ row: IndexRow) throws(ParseFailure) {
        var statistics = BlockStatistics()
        statistics.hasVersions = block.hasVersions
        for i in 0..<block.count {
            let suffix = block.suffix(i)
            let length = block.prefixCount + suffix.count + block.value(i).count
            statistics.add(block.trailer(i), expiry: block.expiry(i), bytes: length)
            key.removeAll()
            key.append(block.prefix)
            key.append(suffix)
            guard try contains(XXH3.hash(key.bytes)) else { throw ParseFailure("the filter lacks a key") }
        }
        guard statistics == row.statistics else { throw ParseFailure("the index's counts are not the block's") }
    }

    private func contains(_ hash: UInt64) throws(ParseFailure) -> Bool {
        do {
            return try segment.mayContain(hash)
        } catch {
            throw ParseFailure("the filter can't be read")
        }
    }

    private func verifySeparator(_ block: DataBlock, _ number: Int) throws(ParseFailure) {
        let last = block.key(block.count - 1)
        let separator = index.separator(number)
        guard !separator.lexicographicallyPrecedes(last) else {
            throw ParseFailure("the separator is below the last key")
        }
        guard last.starts(with: EncodedKey.start(of: index.namespace(number))) else {
            throw ParseFailure("the separator is of another namespace")
        }
    }
}
