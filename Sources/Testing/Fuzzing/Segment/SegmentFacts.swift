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
