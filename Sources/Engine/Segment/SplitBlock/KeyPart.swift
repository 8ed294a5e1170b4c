import ShaleBase

/// The key part of a split block, as stored: what a lookup needs besides the page of its value. Borrowed.
///
/// The initializer checks header and places in constant time. Each function checks what it reads beyond them, and only
/// that. So a lookup stays in bounds in every key part, and finds what is there if keys are in order. Order and the
/// rest are checked when the whole block is loaded (``writeRawBlock(_:_:into:)``, then
/// ``DataBlock/parse(count:rawLength:)``), and by a cursor as far as it goes (``KeyPartWalk``). The checksum was
/// verified before, so only a hostile writer can cause a difference.
struct KeyPart: ValueLengths {
    /// The key part without its trailer.
    let bytes: Bytes
    let fields: DataBlockFields
    let columns: KeyPartColumns
    let codec: StoredCodec
    /// The length of the block in its raw form, which bounds every length of a value.
    let rawLength: Int
    /// The total length of the pages, which follow the trailer.
    let pagesLength: Int
    let pageCount: Int
    let storedLengths: StoredLengthForm
    /// The width of the lengths in groups; 0 if all suffixes have one length and are not in groups.
    let keyLengthWidth: Int

    var count: Int { fields.count }

    /// Parses a verified key part whose trailer names `codec`. The other numbers are the index's.
    init(
        _ bytes: Bytes, expectedCount: Int, codec: StoredCodec, rawLength: Int, pagesLength: Int
    ) throws(ParseFailure) {
        guard bytes.count >= SplitBlockFormat.headerBytes else { throw ParseFailure("a key part is cut short") }
        fields = try DataBlockFields(bytes, expectedCount: expectedCount)
        pageCount = Int(bytes.u16(at: 16))
        guard let lengths = StoredLengthForm(bytes[18]) else { throw ParseFailure("a key part's header is invalid") }
        storedLengths = lengths
        keyLengthWidth = Int(bytes[19])
        guard fields.count <= SplitBlockFormat.entriesMax, pageCount >= 1, pageCount <= fields.count else {
            throw ParseFailure("a key part's page count is invalid")
        }
        guard (lengths != .none) == (codec == .valueCode), keyLengthWidth <= 2,
            keyLengthWidth > 0 || fields.hasFixedKeys
        else { throw ParseFailure("a key part's header is invalid") }
        columns = KeyPartColumns(fields, pageCount: pageCount, storedLengths: lengths)
        self.bytes = bytes
        self.codec = codec
        self.rawLength = rawLength
        self.pagesLength = pagesLength
        guard columns.keys <= bytes.count else { throw ParseFailure("a key part's columns are cut short") }
        guard bytes.u16(at: columns.firstEntries) == 0, bytes.u32(at: columns.pageOffsets) == 0,
            Int(bytes.u32(at: columns.pageOffsets + 4 * pageCount)) == pagesLength
        else { throw ParseFailure("a key part's pages don't fit its block") }
        guard keyLengthWidth == 0 else { return }
        guard columns.keys + 2 <= bytes.count, columns.keys + 2 + fields.count * fixedSuffixCount == bytes.count else {
            throw ParseFailure("a key part's parts don't add up to its length")
        }
        guard fields.prefixCount + fixedSuffixCount <= SegmentFormat.encodedKeyBytesMax else {
            throw ParseFailure("a key part's key is too long")
        }
    }

    var prefix: Bytes { bytes.slice(SplitBlockFormat.headerBytes, fields.prefixCount) }

    /// The length of every suffix, if they are not in groups.
    @inline(__always)
    private var fixedSuffixCount: Int { Int(bytes.u16(at: columns.keys)) }

    /// All suffixes one after the other, if they are not in groups.
    var fixedSuffixes: Bytes { bytes.suffix(from: columns.keys + 2) }

    /// Returns the suffix of an entry, if they are not in groups.
    @inline(__always)
    func fixedSuffix(_ index: Int) -> Bytes {
        bytes.slice(columns.keys &+ 2 &+ index &* fixedSuffixCount, fixedSuffixCount)
    }

    /// Returns the suffixes, if they are in groups.
    func groups() throws(ParseFailure) -> SuffixGroups {
        try SuffixGroups(bytes.suffix(from: columns.keys), count: count, width: keyLengthWidth)
    }

    // MARK: Entries

    /// Returns a sequence, which is not checked.
    @inline(__always)
    func sequence(_ index: Int) -> SequenceNumber {
        assert(index >= 0 && index < count)
        let width = fields.width
        if width == 0 { return fields.base }
        // The table of pages follows the column, so eight bytes are there.
        let word = bytes.u64(at: columns.sequences &+ width &* index)
        return fields.base &+ (word & (UInt64.max &>> UInt64(64 &- 8 &* width)))
    }

    /// Returns an entry's trailer and expiry, after the checks that ``DataBlock/parse(count:rawLength:)`` makes of all.
    func trailer(_ index: Int) throws(ParseFailure) -> (trailer: Trailer, expiry: Int64) {
        let sequence = sequence(index)
        guard sequence >= fields.base, sequence <= Trailer.sequenceMax else {
            throw ParseFailure("a data block has a sequence out of bounds")
        }
        let kind = EntryKind(rawValue: bytes[columns.kinds + (fields.hasOneKind ? 0 : index)])
        let expiry = fields.hasExpiries ? bytes.i64(at: columns.expiries + 8 * index) : 0
        guard kind.isKnown, kind.hasExpiry ? fields.hasExpiries : expiry == 0,
            !kind.isDelete || valueLength(index) == 0
        else { throw ParseFailure("a data block has an unknown kind of entry") }
        return (Trailer(sequence, kind), expiry)
    }

    /// Returns the trailer and expiry that all entries have; `nil` if they differ, or have to be checked one by one.
    func commonTrailer() throws(ParseFailure) -> (trailer: Trailer, expiry: Int64)? {
        guard fields.hasOneKind, fields.width == 0, !fields.hasExpiries else { return nil }
        let first = try trailer(0)
        return fields.hasFixedValues || !first.trailer.kind.isDelete ? first : nil
    }

    @inline(__always)
    func valueLength(_ index: Int) -> Int {
        assert(index >= 0 && index < count)
        if fields.hasFixedValues { return Int(bytes.u32(at: columns.valueLengths)) }
        if fields.hasWideValues { return Int(bytes.u32(at: columns.valueLengths &+ 4 &* index)) }
        return Int(bytes.u16(at: columns.valueLengths &+ 2 &* index))
    }

    /// Returns the total length of the values of some entries.
    func valueBytes(_ entries: Range<Int>) -> Int {
        if fields.hasFixedValues { return entries.count &* Int(bytes.u32(at: columns.valueLengths)) }
        // At most 65 535 lengths of 32 bits, so the sum does not overflow.
        return entries.reduce(0) { $0 &+ valueLength($1) }
    }

    /// Returns the stored length of a value, if values are stored one by one.
    @inline(__always)
    func storedLength(_ index: Int) -> Int {
        assert(index >= 0 && index < count)
        switch storedLengths {
        case .none: return 0
        case .bytes(1): return Int(bytes[columns.storedLengths &+ index])
        case .bytes(2): return Int(bytes.u16(at: columns.storedLengths &+ 2 &* index))
        case .bytes: return Int(bytes.u32(at: columns.storedLengths &+ 4 &* index))
        case .packed(let bits): return packedLength(index, bits)
        }
    }

    @inline(__always)
    private func packedLength(_ index: Int, _ bits: Int) -> Int {
        let least = Int(bytes.u16(at: columns.storedLengths))
        let bit = bits &* index
        // The table of pages follows the column, so four bytes are there; they hold 16 bits from any bit of the first.
        let word = bytes.u32(at: columns.storedLengths &+ 2 &+ bit &>> 3) &>> UInt32(bit & 7)
        return least &+ Int(word & (1 &<< UInt32(bits) &- 1))
    }

    // MARK: Pages

    /// The stored values of adjacent entries.
    struct Page: Equatable {
        let entries: Range<Int>
        /// The place in the pages of the block.
        let offset: Int
        let length: Int
        let checksum: UInt64
    }

    /// Returns a page, whose place is inside the block.
    func page(_ number: Int) throws(ParseFailure) -> Page {
        assert(number >= 0 && number < pageCount)
        let first = firstEntry(number)
        let end = number + 1 < pageCount ? firstEntry(number + 1) : count
        let offset = Int(bytes.u32(at: columns.pageOffsets + 4 * number))
        let next = Int(bytes.u32(at: columns.pageOffsets + 4 * number + 4))
        guard first < end, end <= count, offset <= next, next <= pagesLength else {
            throw ParseFailure("a key part's pages are out of order")
        }
        return Page(
            entries: first..<end, offset: offset, length: next - offset,
            checksum: bytes.u64(at: columns.pageSums + 8 * number))
    }

    /// Returns the page of an entry.
    func page(ofEntry index: Int) throws(ParseFailure) -> Page {
        let page = try page(pageNumber(ofEntry: index))
        guard page.entries.contains(index) else { throw ParseFailure("a key part's pages are out of order") }
        return page
    }

    /// Returns the number of an entry's page, if the table is in order.
    func pageNumber(ofEntry index: Int) -> Int {
        // The first page begins with entry 0, so it is never above.
        var low = 0
        var high = pageCount
        while high - low > 1 {
            let middle = (low + high) / 2
            if firstEntry(middle) <= index { low = middle } else { high = middle }
        }
        return low
    }

    @inline(__always)
    private func firstEntry(_ page: Int) -> Int { Int(bytes.u16(at: columns.firstEntries &+ 2 &* page)) }
}
