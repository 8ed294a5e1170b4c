import ShaleBase

/// The values of a split block, encoded and divided into pages, with the tables of the key part. Reuses its memory.
struct SplitPages: ~Copyable {
    private(set) var codec = StoredCodec.none
    private(set) var content = ByteBuffer()
    // Of each page: the first entry, the offset, the checksum; of each value: the stored length.
    private var firstEntries: [Int] = []
    private var offsets: [Int] = []
    private var checksums: [UInt64] = []
    private var storedLengths: [Int] = []

    var pageCount: Int { firstEntries.count }

    /// The form of the stored lengths.
    var lengthForm: StoredLengthForm { codec == .valueCode ? StoredLengthForm(shortestFor: storedLengths) : .none }

    // MARK: Encoding

    /// Compresses each page. A page that does not shrink is stored as it is.
    mutating func compress(_ entries: RawEntries, _ compressor: Compressor, _ dictionary: BlockDictionary?) {
        divide(entries)
        restart()
        codec = .none
        for number in firstEntries.indices {
            let start = content.count
            let values = entries.values(self.entries(ofPage: number, entries.count))
            let used = compressor.append(values, dictionary, to: &content)
            if used != .none, codec != .none, used != codec {
                // The dictionary could not be loaded for all pages, for lack of memory. A block has one codec.
                content.count = start
                content.append(values)
            } else if used != .none {
                codec = used
            }
            endPage(from: start)
        }
    }

    /// Encodes the values one by one, if that saves an eighth of them; otherwise stores all as they are.
    mutating func encode(_ entries: RawEntries, _ coder: ValueCoder) {
        divide(entries)
        restart()
        codec = .valueCode
        for number in firstEntries.indices {
            let start = content.count
            for index in self.entries(ofPage: number, entries.count) { append(entries.value(index), coder) }
            endPage(from: start)
        }
        let total = entries.values(0..<entries.count).count
        if content.count >= total - total / 8 { store(entries) }
    }

    /// Stores all values as they are.
    private mutating func store(_ entries: RawEntries) {
        restart()
        codec = .none
        for number in firstEntries.indices {
            let start = content.count
            content.append(entries.values(self.entries(ofPage: number, entries.count)))
            endPage(from: start)
        }
    }

    /// Appends a value in the shorter of its two forms.
    private mutating func append(_ value: Bytes, _ coder: ValueCoder) {
        let start = content.count
        if value.count <= ValueCodeFormat.valueBytesMax { coder.encoder.append(value, to: &content) }
        if content.count - start >= value.count || value.count > ValueCodeFormat.valueBytesMax {
            content.count = start
            content.append(value)
        }
        storedLengths.append(content.count - start)
    }

    /// Divides the entries into pages.
    private mutating func divide(_ entries: RawEntries) {
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

    private mutating func restart() {
        content.removeAll()
        offsets.removeAll(keepingCapacity: true)
        checksums.removeAll(keepingCapacity: true)
        storedLengths.removeAll(keepingCapacity: true)
    }

    /// Records the page from `start` to the end of ``content``.
    private mutating func endPage(from start: Int) {
        offsets.append(start)
        checksums.append(SplitBlockFormat.checksum(content.bytes.suffix(from: start)))
    }

    // MARK: Tables

    /// Appends the stored lengths and the table of pages.
    func appendTables(to output: inout ByteBuffer) {
        lengthForm.encode(storedLengths, to: &output)
        for first in firstEntries { output.append(UInt16(first)) }
        for offset in offsets { output.append(UInt32(offset)) }
        output.append(UInt32(content.count))
        for checksum in checksums { output.append(checksum) }
    }
}

/// An encoder with its code. An encoder is large, so it is kept as long as blocks have the same code.
final class ValueCoder {
    let code: ValueCode
    var encoder: ValueEncoder

    init(_ code: ValueCode) {
        self.code = code
        encoder = ValueEncoder(code)
    }
}
