import ShaleBase

/// Constants of split blocks. On disk, do not change: ShaleEngine.docc, "Reads beyond the cache".
enum SplitBlockFormat {
    /// The fields of a data block, then page count u16, width of stored value lengths u8, width of key lengths u8.
    static let headerBytes = DataBlockFormat.headerBytes + 4
    /// The largest number of entries. A block with more is not split.
    static let entriesMax = 65_535
    /// The number of keys in a group.
    static let groupLength = 16

    /// The raw size at which a writer ends a page. A page with more has one entry.
    static let pageBytes = 2 << 10

    /// The checksum of a page. It is not bound to a place, because the key part is, and contains it.
    static func checksum(_ page: Bytes) -> UInt64 { XXH3.hash(page) }
}

/// The places of a key part's columns, in the order of the file.
struct KeyPartColumns {
    let valueLengths: Int
    let kinds: Int
    let sequences: Int
    let expiries: Int
    /// The length of each stored value; nothing unless values are stored one by one.
    let storedLengths: Int
    /// The first entry of each page u16.
    let firstEntries: Int
    /// The offset u32 of each page from the end of the key part's trailer, then the end.
    let pageOffsets: Int
    /// The checksum of each page.
    let pageSums: Int
    let keys: Int

    init(_ fields: DataBlockFields, pageCount: Int, storedLengths lengths: StoredLengthForm) {
        valueLengths = SplitBlockFormat.headerBytes + fields.prefixCount
        kinds = valueLengths + fields.valueLengthBytes
        sequences = kinds + fields.kindBytes
        expiries = sequences + fields.sequenceBytes
        storedLengths = expiries + fields.expiryBytes
        firstEntries = storedLengths + lengths.byteCount(fields.count)
        pageOffsets = firstEntries + 2 * pageCount
        pageSums = pageOffsets + 4 * (pageCount + 1)
        keys = pageSums + 8 * pageCount
    }
}
