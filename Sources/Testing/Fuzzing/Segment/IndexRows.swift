/// The rows of an untrusted raw index: as many columns as there are bytes for, unchecked.
struct IndexRows {
    /// A row: the counts that the directory sums up, and the handle.
    struct Row {
        var namespace: UInt32 = 1
        var storedLength: UInt32 = 0
        var rawLength: UInt32 = 0
        /// Entries, deletes, purgeable, expirable, data bytes, purgeable data bytes.
        var counts = [UInt32](repeating: 0, count: 6)
        /// The lowest and the highest sequence, and the highest sequence of a purgeable entry.
        var sequences = [UInt64](repeating: 0, count: 3)
        var expiries = [Int64](repeating: 0, count: 2)
        var flags: UInt8 = 0
        /// 0 if the block is not split.
        var keyPartLength: UInt32 = 0
    }

    private static let bytesPerRow = 2 + 8 * 4 + 5 * 8 + 1
    private static let rowsMax = 4096

    private(set) var rows: [Row] = []

    /// Takes the rows of an index of format 1 or, if `isSplit`, of format 2.
    init(_ raw: [UInt8], isSplit: Bool = false) {
        let bytesPerRow = IndexRows.bytesPerRow + (isSplit ? 4 : 0)
        let count = Int(raw.word(UInt32.self, at: 0) ?? 0)
        let prefixCount = Int(raw.word(UInt16.self, at: 4) ?? 0)
        guard count <= min(raw.count / bytesPerRow, IndexRows.rowsMax) else { return }
        var separator = 8 + prefixCount + bytesPerRow * count
        for index in 0..<count {
            var row = Row()
            var column = 8 + prefixCount + 2 * count
            func take<T: FixedWidthInteger>(_ type: T.Type) -> T {
                defer { column += MemoryLayout<T>.size * count }
                return raw.word(type, at: column + MemoryLayout<T>.size * index) ?? 0
            }
            row.storedLength = take(UInt32.self)
            row.rawLength = take(UInt32.self)
            for field in 0..<6 { row.counts[field] = take(UInt32.self) }
            for field in 0..<3 { row.sequences[field] = take(UInt64.self) }
            for field in 0..<2 { row.expiries[field] = take(Int64.self) }
            row.flags = take(UInt8.self)
            if isSplit { row.keyPartLength = take(UInt32.self) }
            let length = Int(raw.word(UInt16.self, at: 8 + prefixCount + 2 * index) ?? 0)
            row.namespace = IndexRows.namespace(raw, prefixCount, separator)
            separator += length
            rows.append(row)
        }
    }

    /// Returns the first four bytes of prefix ‖ suffix.
    private static func namespace(_ raw: [UInt8], _ prefixCount: Int, _ separator: Int) -> UInt32 {
        (0..<4).reduce(0) { value, place in
            let offset = place < prefixCount ? 8 + place : separator + place - prefixCount
            return value << 8 | UInt32(raw.indices.contains(offset) ? raw[offset] : 0)
        }
    }

    /// Encodes an index of one row, for a block whose keys are all ≤ `separator`.
    static func encode(_ row: Row, separator: [UInt8]) -> [UInt8] {
        var raw: [UInt8] = []
        raw.append(word: UInt32(1))
        raw.append(word: UInt16(separator.count))
        raw.append(word: UInt16(0))
        raw += separator
        raw.append(word: UInt16(0))
        raw.append(word: row.storedLength)
        raw.append(word: row.rawLength)
        for count in row.counts { raw.append(word: count) }
        for sequence in row.sequences { raw.append(word: sequence) }
        for expiry in row.expiries { raw.append(word: expiry) }
        raw.append(row.flags)
        return raw
    }
}

/// A directory and properties that agree with an index, so that the test reaches the index or a block.
struct SegmentFacts {
    private struct Slice {
        var namespace: UInt32
        var firstBlock: UInt32
        var blockCount: UInt32 = 0
        var counts = [UInt64](repeating: 0, count: 6)
        var storedBytes: UInt64 = 0
        var sequences: [UInt64] = [0, 0, 0]
        var expiries: [Int64] = [0, 0]

        mutating func add(_ row: IndexRows.Row) {
            sequences[0] = blockCount == 0 ? row.sequences[0] : min(sequences[0], row.sequences[0])
            for field in 1..<3 { sequences[field] = max(sequences[field], row.sequences[field]) }
            if row.counts[3] > 0 {
                expiries[0] = counts[3] == 0 ? row.expiries[0] : min(expiries[0], row.expiries[0])
                expiries[1] = counts[3] == 0 ? row.expiries[1] : max(expiries[1], row.expiries[1])
            }
            blockCount += 1
            for field in 0..<6 { counts[field] += UInt64(row.counts[field]) }
            storedBytes += UInt64(row.storedLength) + 12
        }
    }

    private(set) var directory: [UInt8] = []
    private(set) var properties: [UInt8] = []

    /// Makes the facts for `rows`. Without keys, uses the lowest and the highest key that the rows' namespaces allow.
    init(_ rows: [IndexRows.Row], smallest: [UInt8]? = nil, largest: [UInt8]? = nil) {
        var slices: [Slice] = []
        for (block, row) in rows.enumerated() {
            if slices.last?.namespace != row.namespace {
                slices.append(Slice(namespace: row.namespace, firstBlock: UInt32(block)))
            }
            slices[slices.count - 1].add(row)
        }
        directory.append(word: UInt32(slices.count))
        for slice in slices {
            directory.append(word: slice.namespace)
            directory.append(word: slice.firstBlock)
            directory.append(word: slice.blockCount)
            for count in slice.counts { directory.append(word: count) }
            directory.append(word: slice.storedBytes)
            for sequence in slice.sequences { directory.append(word: sequence) }
            for expiry in slice.expiries { directory.append(word: expiry) }
        }
        let first = SegmentFacts.start(of: slices.first?.namespace ?? 1)
        let last = SegmentFacts.start(of: slices.last?.namespace ?? 1) + [UInt8](repeating: 0xff, count: 64)
        properties = SegmentFacts.encode(
            smallest: smallest ?? first, largest: largest ?? last,
            entries: slices.reduce(0) { $0 &+ $1.counts[0] }, dataBytes: slices.reduce(0) { $0 &+ $1.counts[4] })
    }

    static func start(of namespace: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: namespace >> UInt32($0)) }
    }

    static func encode(smallest: [UInt8], largest: [UInt8], entries: UInt64, dataBytes: UInt64) -> [UInt8] {
        var raw: [UInt8] = []
        func words(_ value: UInt64) -> [UInt8] {
            var bytes: [UInt8] = []
            bytes.append(word: value)
            return bytes
        }
        let fields = [words(0), Array("Shale 1".utf8), smallest, largest, words(entries), words(dataBytes)]
        for (index, field) in fields.enumerated() {
            raw.append(word: UInt16(index + 1))
            raw.append(word: UInt32(field.count))
            raw += field
        }
        return raw
    }
}
