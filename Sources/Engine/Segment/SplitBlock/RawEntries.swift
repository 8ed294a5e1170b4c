import ShaleBase

/// The entries of a raw block whose lengths were checked.
struct RawEntries {
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
