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
    }

    private static let bytesPerRow = 2 + 8 * 4 + 5 * 8 + 1
    private static let rowsMax = 4096

    private(set) var rows: [Row] = []

    init(_ raw: [UInt8]) {
        let count = Int(raw.word(UInt32.self, at: 0) ?? 0)
        let prefixCount = Int(raw.word(UInt16.self, at: 4) ?? 0)
        guard count <= min(raw.count / IndexRows.bytesPerRow, IndexRows.rowsMax) else { return }
        var separator = 8 + prefixCount + IndexRows.bytesPerRow * count
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
