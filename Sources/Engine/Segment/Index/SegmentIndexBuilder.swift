import ShaleBase

/// Collects a row per block and encodes the index in columns.
@safe
struct SegmentIndexBuilder: ~Copyable {
    private var separators = ByteBuffer(capacity: 4096)
    private var separatorLengths: [Int] = []
    private(set) var rows: [IndexRow] = []
    /// True if a block is split, so that the index has format 2.
    private(set) var isSplit = false

    var count: Int { rows.count }

    /// An estimate of the raw index's length.
    var rawBytes: Int { separators.count + rows.count * (IndexColumns.bytesPerBlock + 4) + IndexColumns.headerBytes }

    mutating func add(_ row: IndexRow, separator: Bytes) {
        rows.append(row)
        if row.isSplit { isSplit = true }
        separators.append(separator)
        separatorLengths.append(separator.count)
    }

    /// Replaces the last block's separator, when the block's last key became known later.
    mutating func replaceLastSeparator(_ separator: Bytes) {
        guard let length = separatorLengths.popLast() else { return }
        separators.count -= length
        separators.append(separator)
        separatorLengths.append(separator.count)
    }

    func encode(to output: inout ByteBuffer) {
        let prefixCount = sharedPrefixCount
        output.append(UInt32(rows.count))
        output.append(UInt16(prefixCount))
        output.append(UInt16(0))
        output.append(separators.bytes.slice(0, prefixCount))
        for length in separatorLengths { output.append(UInt16(length - prefixCount)) }
        for row in rows { output.append(row.handle.storedLength) }
        for row in rows { output.append(row.handle.rawLength) }
        for row in rows { output.append(row.statistics.entryCount) }
        for row in rows { output.append(row.statistics.deleteCount) }
        for row in rows { output.append(row.statistics.purgeableCount) }
        for row in rows { output.append(row.statistics.expirableCount) }
        for row in rows { output.append(row.statistics.dataBytes) }
        for row in rows { output.append(row.statistics.purgeableDataBytes) }
        for row in rows { output.append(row.statistics.minSequence) }
        for row in rows { output.append(row.statistics.maxSequence) }
        for row in rows { output.append(row.statistics.maxPurgeableSequence) }
        for row in rows { output.append(row.statistics.minExpiry) }
        for row in rows { output.append(row.statistics.maxExpiry) }
        for row in rows { output.append(SegmentIndexBuilder.flags(row)) }
        if isSplit {
            for row in rows { output.append(row.keyPartLength) }
        }
        var offset = 0
        for length in separatorLengths {
            output.append(separators.bytes.slice(offset + prefixCount, length - prefixCount))
            offset += length
        }
    }

    private static func flags(_ row: IndexRow) -> UInt8 {
        var flags = IndexColumns.flags(row.codec)
        if row.statistics.hasVersions { flags |= IndexColumns.hasVersions }
        if row.continues { flags |= IndexColumns.continues }
        return flags
    }

    /// The length of the prefix that all separators share. Separators ascend, so the first and the last one determine
    /// it.
    private var sharedPrefixCount: Int {
        guard let first = separatorLengths.first, let last = separatorLengths.last else { return 0 }
        let all = separators.bytes
        return all.slice(0, first).sharedPrefixCount(with: all.slice(all.count - last, last))
    }
}

enum Separator {
    /// Returns the length of the shortest prefix of `next` that is > `last`; `nil` if it is not shorter than `last`, in
    /// which case `last` itself separates. Requires `last` < `next`.
    ///
    /// The prefix of `next` that is one byte longer than their common prefix is above `last`, because its last byte is
    /// greater. It is also below `next`, unless it equals `next`, in which case `last` is used.
    static func shortLength(_ last: Bytes, before next: Bytes) -> Int? {
        let length = last.sharedPrefixCount(with: next) + 1
        return length < last.count && length < next.count ? length : nil
    }
}
