package import ShaleBase

/// A split block in memory, for measurements and fuzzing. Readers use ``Segment``.
///
/// The memory of the block outlives the probe.
package struct SplitBlockProbe {
    private let part: KeyPart
    private let pages: Bytes
    private let decoder: PageDecoder

    /// Parses a block: the key part without a trailer, then the pages.
    ///
    /// Sixteen bytes are readable after `stored`.
    package init(
        _ stored: Bytes, keyPartLength: Int, count: Int, rawLength: Int, codec: StoredCodec, code: ValueCode?
    ) throws(ParseFailure) {
        guard keyPartLength <= stored.count, rawLength <= SegmentFormat.rawBlockBytesMax else {
            throw ParseFailure("a split block is cut short")
        }
        part = try KeyPart(
            stored.slice(0, keyPartLength), expectedCount: count, codec: codec, rawLength: rawLength,
            pagesLength: stored.count - keyPartLength)
        pages = stored.suffix(from: keyPartLength)
        decoder = PageDecoder(decompressor: Decompressor(), code: code)
    }

    /// Returns the block in its raw form, after all checks of a reader that loads it.
    package func rawBlock() throws(ParseFailure) -> [UInt8] {
        try withBlock { block in
            block.rawTarget(count: part.count, rawLength: part.rawLength).bytes.slice(0, part.rawLength).array()
        }
    }

    /// Returns all entries, after the same checks.
    package func entries() throws(ParseFailure) -> [BlockEntry] {
        try withBlock { block in (0..<block.count).map { BlockEntry(block, $0) } }
    }

    private func withBlock<R>(_ body: (DataBlock) -> R) throws(ParseFailure) -> R {
        let (count, rawLength) = (part.count, part.rawLength)
        let block = DataBlock.allocate(bytes: DataBlock.bytesNeeded(count: count, rawLength: rawLength))
        defer { block.free() }
        try part.writeRawBlock(pages, decoder, into: block.rawTarget(count: count, rawLength: rawLength))
        try block.parse(count: count, rawLength: rawLength)
        return body(block)
    }

    /// Returns the newest version of `key` with sequence ≤ `limit`, as a lookup does that reads one page.
    package func find(_ key: Bytes, through limit: SequenceNumber) throws(ParseFailure) -> BlockEntry? {
        guard case .found(let index) = try part.find(key, through: limit) else { return nil }
        let (trailer, expiry) = try part.trailer(index)
        let page = try part.page(ofEntry: index)
        let stored = pages.slice(page.offset, page.length)
        try PageDecoder.verify(stored, page)
        let room = OwnedBytes(count: try PageDecoder.bytesNeeded(forValue: index, page, of: part))
        let value = try decoder.value(index, page, stored, of: part, into: room.mutable)
        return BlockEntry(key: key.array(), trailer: trailer, expiry: expiry, value: value.array())
    }

    /// Returns the split form of a raw block: the key part without a trailer, then the pages.
    ///
    /// - Parameters:
    ///   - compression: The codec of pages, unless `code` is given.
    ///   - code: The code of values.
    /// - Returns: `nil` if the block has too many entries.
    package static func split(
        _ raw: Bytes, count: Int, compression: BlockCodec = .none, code: ValueCode? = nil
    ) throws(ParseFailure) -> (stored: [UInt8], keyPartLength: Int, codec: StoredCodec)? {
        let encoder = SplitBlockEncoder(Compressor(compression))
        var output = ByteBuffer()
        guard let block = try encoder.append(raw, count: count, code.map { .code($0) } ?? .pages(nil), to: &output)
        else { return nil }
        let bytes = output.bytes
        let pages = bytes.suffix(from: block.keyPartLength + SegmentFormat.blockTrailerBytes)
        return (bytes.slice(0, block.keyPartLength).array() + pages.array(), block.keyPartLength, block.codec)
    }
}
