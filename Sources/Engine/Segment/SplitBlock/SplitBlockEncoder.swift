import ShaleBase

/// Makes split blocks of raw blocks. Reuses its memory; not thread-safe.
final class SplitBlockEncoder {
    /// The way of storing values.
    enum Method {
        /// Pages are compressed as a whole by the encoder's compressor; zstd uses the dictionary.
        case pages(BlockDictionary?)
        /// Values are compressed one by one.
        case code(ValueCode)
    }

    /// An encoded block: key part, room for its trailer, pages.
    struct Block: Equatable {
        /// The length of the key part without its trailer.
        let keyPartLength: Int
        let codec: StoredCodec
    }

    private let compressor: Compressor
    private var coder: ValueCoder?
    private var rows = ByteBuffer()
    private var groups = SuffixGroupsBuilder()
    private var pages = SplitPages()

    init(_ compressor: Compressor) { self.compressor = compressor }

    /// Appends the split form of a raw block. Returns `nil`, without any change, if the block has too many entries.
    ///
    /// Values are compressed only if that saves an eighth of them. A block whose codec is none so costs no decoding.
    ///
    /// - Throws: If `raw` is not a raw block of `count` entries. Nothing has been appended then.
    func append(
        _ raw: Bytes, count: Int, _ method: Method, to output: inout ByteBuffer
    ) throws(ParseFailure) -> Block? {
        guard count <= SplitBlockFormat.entriesMax else { return nil }
        var parser = try DataBlockParser(raw, expectedCount: count)
        rows.removeAll()
        try parser.fillRows(rows.extend(8 * (count + 1)))
        let entries = RawEntries(
            raw: raw, rows: rows.bytes, count: count, suffixesOffset: parser.suffixesOffset,
            valuesOffset: parser.valuesOffset)
        encodeValues(entries, method)
        let start = output.count
        let keyLengthWidth = encodeGroups(entries, parser)
        output.append(raw.slice(0, DataBlockFormat.headerBytes))
        output.append(UInt16(pages.pageCount))
        output.append(pages.lengthForm.byte)
        output.append(UInt8(keyLengthWidth))
        output.append(raw.slice(DataBlockFormat.headerBytes, parser.fields.prefixCount))
        // Value lengths, kinds, sequences and expiries are the same in both forms.
        output.append(
            raw.slice(parser.valueLengthsOffset, parser.suffixesOffset - parser.valueLengthsOffset))
        pages.appendTables(to: &output)
        if keyLengthWidth > 0 {
            groups.encode(to: &output)
        } else {
            output.append(UInt16(entries.suffix(0).count))
            output.append(entries.suffixes)
        }
        let keyPartLength = output.count - start
        output.extend(SegmentFormat.blockTrailerBytes).zero(0, SegmentFormat.blockTrailerBytes)
        output.append(pages.content.bytes)
        return Block(keyPartLength: keyPartLength, codec: pages.codec)
    }

    // MARK: Values

    private func encodeValues(_ entries: RawEntries, _ method: Method) {
        switch method {
        case .pages(let dictionary): pages.compress(entries, compressor, dictionary)
        case .code(let code): pages.encode(entries, coder(for: code))
        }
    }

    private func coder(for code: ValueCode) -> ValueCoder {
        if let coder, coder.code === code { return coder }
        let fresh = ValueCoder(code)
        coder = fresh
        return fresh
    }

    // MARK: Keys

    /// Encodes the suffixes in groups. Returns the width of the lengths; 0 if they stay as they are, because they have
    /// one length and groups would not save an eighth.
    private func encodeGroups(_ entries: RawEntries, _ parser: DataBlockParser) -> Int {
        let width = SuffixGroupsBuilder.width(longest: parser.suffixCountMax)
        groups.removeAll()
        var previous = Bytes.empty
        for index in 0..<entries.count {
            let suffix = entries.suffix(index)
            groups.add(suffix, after: previous, width: width)
            previous = suffix
        }
        guard parser.fields.hasFixedKeys else { return width }
        let fixedBytes = 2 + entries.suffixes.count
        return groups.encodedBytes < fixedBytes - fixedBytes / 8 ? width : 0
    }
}
