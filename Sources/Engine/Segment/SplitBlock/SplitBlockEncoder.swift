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
    private var pages = ByteBuffer()
    // Of each page: the first entry, the offset, the checksum; of each value: the stored length.
    private var firstEntries: [Int] = []
    private var offsets: [Int] = []
    private var checksums: [UInt64] = []
    private var storedLengths: [Int] = []

    /// An encoder is large, so it is kept as long as blocks have the same code.
    private final class ValueCoder {
        let code: ValueCode
        var encoder: ValueEncoder

        init(_ code: ValueCode) {
            self.code = code
            encoder = ValueEncoder(code)
        }
    }

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
        divide(entries)
        let codec =
            switch method {
            case .pages(let dictionary): encodePages(entries, dictionary)
            case .code(let code): encodeValues(entries, code)
            }
        let start = output.count
        let keyLengthWidth = encodeGroups(entries, parser)
        let lengths = codec == .valueCode ? StoredLengthForm(shortestFor: storedLengths) : .none
        output.append(raw.slice(0, DataBlockFormat.headerBytes))
        output.append(UInt16(firstEntries.count))
        output.append(lengths.byte)
        output.append(UInt8(keyLengthWidth))
        output.append(raw.slice(DataBlockFormat.headerBytes, parser.fields.prefixCount))
        // Value lengths, kinds, sequences and expiries are the same in both forms.
        output.append(
            raw.slice(parser.valueLengthsOffset, parser.suffixesOffset - parser.valueLengthsOffset))
        lengths.encode(storedLengths, to: &output)
        appendPageTable(to: &output)
        if keyLengthWidth > 0 {
            groups.encode(to: &output)
        } else {
            output.append(UInt16(entries.suffix(0).count))
            output.append(entries.suffixes)
        }
        let keyPartLength = output.count - start
        output.extend(SegmentFormat.blockTrailerBytes).zero(0, SegmentFormat.blockTrailerBytes)
        output.append(pages.bytes)
        return Block(keyPartLength: keyPartLength, codec: codec)
    }

    // MARK: Values

    /// Divides the entries into pages.
    private func divide(_ entries: RawEntries) {
        firstEntries.removeAll(keepingCapacity: true)
        firstEntries.append(0)
        var bytes = 0
        for index in 0..<entries.count {
            let length = entries.value(index).count
            if bytes + length > SplitBlockFormat.pageBytes, firstEntries[firstEntries.count - 1] < index {
                firstEntries.append(index)
                bytes = 0
            }
            bytes += length
        }
    }

    private func entries(ofPage number: Int, _ count: Int) -> Range<Int> {
        firstEntries[number]..<(number + 1 < firstEntries.count ? firstEntries[number + 1] : count)
    }

    private func restart() {
        pages.removeAll()
        offsets.removeAll(keepingCapacity: true)
        checksums.removeAll(keepingCapacity: true)
        storedLengths.removeAll(keepingCapacity: true)
    }

    /// Records the page from `start` to the end of ``pages``.
    private func endPage(from start: Int) {
        offsets.append(start)
        checksums.append(SplitBlockFormat.checksum(pages.bytes.suffix(from: start)))
    }

    /// Compresses each page. A page that does not shrink is stored as it is.
    private func encodePages(_ entries: RawEntries, _ dictionary: BlockDictionary?) -> StoredCodec {
        restart()
        var codec = StoredCodec.none
        for number in firstEntries.indices {
            let start = pages.count
            let values = entries.values(self.entries(ofPage: number, entries.count))
            let used = compressor.append(values, dictionary, to: &pages)
            if used != .none, codec != .none, used != codec {
                // The dictionary could not be loaded for all pages, for lack of memory. A block has one codec.
                pages.count = start
                pages.append(values)
            } else if used != .none {
                codec = used
            }
            endPage(from: start)
        }
        return codec
    }

    private func encodeValues(_ entries: RawEntries, _ code: ValueCode) -> StoredCodec {
        restart()
        let coder = coder(for: code)
        for number in firstEntries.indices {
            let start = pages.count
            for index in self.entries(ofPage: number, entries.count) {
                storedLengths.append(append(entries.value(index), coder))
            }
            endPage(from: start)
        }
        let total = entries.values(0..<entries.count).count
        if pages.count < total - total / 8 { return .valueCode }
        storeValues(entries)
        return .none
    }

    private func coder(for code: ValueCode) -> ValueCoder {
        if let coder, coder.code === code { return coder }
        let fresh = ValueCoder(code)
        coder = fresh
        return fresh
    }

    /// Appends a value in the shorter of its two forms, and returns the stored length.
    private func append(_ value: Bytes, _ coder: ValueCoder) -> Int {
        let start = pages.count
        if value.count <= ValueCodeFormat.valueBytesMax {
            coder.encoder.append(value, to: &pages)
            if pages.count - start < value.count { return pages.count - start }
            pages.count = start
        }
        pages.append(value)
        return value.count
    }

    /// Stores all values as they are.
    private func storeValues(_ entries: RawEntries) {
        restart()
        for number in firstEntries.indices {
            let start = pages.count
            pages.append(entries.values(self.entries(ofPage: number, entries.count)))
            endPage(from: start)
        }
    }

    // MARK: Key part

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

    private func appendPageTable(to output: inout ByteBuffer) {
        for first in firstEntries { output.append(UInt16(first)) }
        for offset in offsets { output.append(UInt32(offset)) }
        output.append(UInt32(pages.count))
        for checksum in checksums { output.append(checksum) }
    }
}

/// The entries of a raw block whose lengths were checked.
private struct RawEntries {
    let raw: Bytes
    /// Key offset u32, value offset u32 of each entry, and their ends.
    let rows: Bytes
    let count: Int
    let suffixesOffset: Int
    let valuesOffset: Int

    func suffix(_ index: Int) -> Bytes {
        let start = Int(rows.u32(at: 8 * index))
        return raw.slice(suffixesOffset + start, Int(rows.u32(at: 8 * index + 8)) - start)
    }

    func value(_ index: Int) -> Bytes { values(index..<index + 1) }

    /// Returns the values of adjacent entries.
    func values(_ entries: Range<Int>) -> Bytes {
        let start = Int(rows.u32(at: 8 * entries.lowerBound + 4))
        return raw.slice(valuesOffset + start, Int(rows.u32(at: 8 * entries.upperBound + 4)) - start)
    }

    var suffixes: Bytes { raw.slice(suffixesOffset, valuesOffset - suffixesOffset) }
}
