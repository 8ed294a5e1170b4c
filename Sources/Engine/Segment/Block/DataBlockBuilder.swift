import ShaleBase

/// Collects the entries of one data block in columns and encodes them. Reuses its memory for the next block.
///
/// Entries are added in order (key ascending, trailer descending) and belong to one namespace.
@safe
struct DataBlockBuilder: ~Copyable {
    private var keys = ByteBuffer(capacity: 16 << 10)
    private var values = ByteBuffer(capacity: 16 << 10)
    /// One row per entry: key length u32, value length u32, trailer u64, expiry i64.
    private var rows = ByteBuffer(capacity: 8 << 10)
    private var prefixCount = 0
    private var firstKeyCount = 0
    private var lastKeyCount = 0
    private var lastValueCount = 0
    private var hasFixedKeys = true
    private var hasFixedValues = true
    private var hasOneKind = true
    private var widestValue = 0
    private(set) var statistics = BlockStatistics()

    private static let rowBytes = 24

    var count: Int { Int(statistics.entryCount) }
    var isEmpty: Bool { count == 0 }

    var firstKey: Bytes { keys.bytes.slice(0, firstKeyCount) }
    var lastKey: Bytes { keys.bytes.slice(keys.count - lastKeyCount, lastKeyCount) }

    /// An upper estimate of the raw length that the block would have now.
    var rawBytes: Int {
        let spread = statistics.maxSequence &- statistics.minSequence
        var perEntry = DataBlockFormat.sequenceWidth(spread)
        if !hasFixedKeys { perEntry &+= 2 }
        if !hasFixedValues { perEntry &+= widestValue > 0xffff ? 4 : 2 }
        if !hasOneKind { perEntry &+= 1 }
        if statistics.expirableCount > 0 { perEntry &+= 8 }
        let suffixes = keys.count &- count &* prefixCount
        return DataBlockFormat.headerBytes &+ 7 &+ prefixCount &+ suffixes &+ values.count &+ count &* perEntry
    }

    @inline(__always)
    mutating func add(_ key: Bytes, _ trailer: Trailer, _ expiry: Int64, _ value: Bytes, isVersion: Bool) {
        if isEmpty {
            prefixCount = key.count
            firstKeyCount = key.count
            lastKeyCount = key.count
            lastValueCount = value.count
        } else {
            let previous = rows.bytes.u64(at: rows.count &- 16)
            if UInt8(truncatingIfNeeded: previous ^ trailer.rawValue) != 0 { hasOneKind = false }
            if !key.starts(with: keys.bytes.slice(0, prefixCount)) {
                prefixCount = firstKey.sharedPrefixCount(with: key) + (PlantedBug.isActive(.wrongSharedPrefix) ? 1 : 0)
            }
        }
        if key.count != lastKeyCount { hasFixedKeys = false }
        if value.count != lastValueCount { hasFixedValues = false }
        if isVersion { statistics.hasVersions = true }
        widestValue = max(widestValue, value.count)
        lastKeyCount = key.count
        lastValueCount = value.count
        let row = rows.extend(DataBlockBuilder.rowBytes)
        row.store(UInt32(truncatingIfNeeded: key.count), at: 0)
        row.store(UInt32(truncatingIfNeeded: value.count), at: 4)
        row.store(trailer.rawValue, at: 8)
        row.store(expiry, at: 16)
        keys.append(key)
        values.append(value)
        statistics.add(trailer, expiry: expiry, bytes: key.count &+ value.count)
    }

    mutating func removeAll() {
        keys.removeAll()
        values.removeAll()
        rows.removeAll()
        hasFixedKeys = true
        hasFixedValues = true
        hasOneKind = true
        widestValue = 0
        statistics = BlockStatistics()
    }

    /// Appends the raw block to `output`. The block must have at least one entry.
    func encode(to output: inout ByteBuffer) {
        let width = DataBlockFormat.sequenceWidth(statistics.maxSequence - statistics.minSequence)
        let hasWideValues = widestValue > 0xffff
        let hasExpiries = statistics.expirableCount > 0
        var flags: UInt8 = 0
        if hasFixedKeys { flags |= DataBlockFormat.fixedKeyLength }
        if hasFixedValues { flags |= DataBlockFormat.fixedValueLength }
        if hasOneKind { flags |= DataBlockFormat.oneKind }
        if width == 0 { flags |= DataBlockFormat.oneSequence }
        if hasExpiries { flags |= DataBlockFormat.hasExpiries }
        if hasWideValues { flags |= DataBlockFormat.wideValueLengths }
        if statistics.hasVersions { flags |= DataBlockFormat.hasVersions }

        output.append(UInt32(count))
        output.append(UInt16(prefixCount))
        output.append(flags)
        output.append(UInt8(width))
        output.append(statistics.minSequence)
        output.append(keys.bytes.slice(0, prefixCount))
        encodeLengths(to: &output, hasWideValues: hasWideValues)
        encodeTrailers(to: &output, width: width)
        if hasExpiries {
            for i in 0..<count { output.append(row(i).i64(at: 16)) }
        }
        encodeSuffixes(to: &output)
        output.append(values.bytes)
    }

    @inline(__always)
    private func row(_ index: Int) -> Bytes {
        rows.bytes.slice(index &* DataBlockBuilder.rowBytes, DataBlockBuilder.rowBytes)
    }

    private func encodeLengths(to output: inout ByteBuffer, hasWideValues: Bool) {
        let keyRows = hasFixedKeys ? 1 : count
        let keyColumn = output.extend(2 * keyRows)
        for i in 0..<keyRows {
            keyColumn.store(UInt16(truncatingIfNeeded: Int(row(i).u32(at: 0)) &- prefixCount), at: 2 &* i)
        }
        if hasFixedValues {
            output.append(row(0).u32(at: 4))
        } else if hasWideValues {
            let column = output.extend(4 * count)
            for i in 0..<count { column.store(row(i).u32(at: 4), at: 4 &* i) }
        } else {
            let column = output.extend(2 * count)
            for i in 0..<count { column.store(UInt16(truncatingIfNeeded: row(i).u32(at: 4)), at: 2 &* i) }
        }
    }

    private func encodeTrailers(to output: inout ByteBuffer, width: Int) {
        let kindRows = hasOneKind ? 1 : count
        let kinds = output.extend(kindRows)
        for i in 0..<kindRows { kinds.store(row(i)[8], at: i) }
        if width == 0 { return }
        let base = statistics.minSequence
        // Stores eight bytes for each `width`: the next row overwrites the surplus, and the last surplus is dropped.
        let column = output.extend(width * count + 8)
        for i in 0..<count {
            column.store(Trailer(rawValue: row(i).u64(at: 8)).sequence &- base, at: width &* i)
        }
        output.count -= 8
    }

    private func encodeSuffixes(to output: inout ByteBuffer) {
        let column = output.extend(keys.count - count * prefixCount)
        let source = keys.bytes
        var from = 0
        var to = 0
        for i in 0..<count {
            let length = Int(row(i).u32(at: 0))
            column.copy(source.slice(from &+ prefixCount, length &- prefixCount), at: to)
            from &+= length
            to &+= length &- prefixCount
        }
    }
}
