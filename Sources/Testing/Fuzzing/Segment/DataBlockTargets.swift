import ShaleBase
import ShaleSegment

extension FuzzTarget {
    /// Input: a raw data block.
    static let dataBlock = FuzzTarget("data-block", "segment: data block", seeds: { try DataBlockTarget.rawBlocks() }) {
        input in
        try DataBlockTarget.run(raw: input)
    }

    /// Input: raw length, entry count, then a compressed block.
    static let lz4Block = FuzzTarget("lz4-block", "segment: data block under LZ4", seeds: DataBlockTarget.seeds(.lz4)) {
        try DataBlockTarget.run(compressed: $0, codec: 1)
    }

    static let zstdBlock = FuzzTarget(
        "zstd-block", "segment: data block under zstd", seeds: DataBlockTarget.seeds(.zstd(level: 1))
    ) { try DataBlockTarget.run(compressed: $0, codec: 2) }
}

private enum DataBlockTarget {
    static func run(raw input: [UInt8]) throws {
        try run(.init(input), entryCount: input.word(UInt32.self, at: 0) ?? 1)
    }

    static func run(compressed input: [UInt8], codec: UInt8) throws {
        guard let rawLength = input.word(UInt32.self, at: 0), let entryCount = input.word(UInt32.self, at: 4) else {
            return
        }
        try run(.init(stored: Array(input.dropFirst(8)), rawLength: rawLength, codec: codec), entryCount: entryCount)
    }

    /// Reads the block with an index that knows only its lengths. If that succeeds, reads it again with an index that
    /// holds the counts found, which must then pass every check.
    private static func run(_ block: SegmentParts.Block, entryCount: UInt32) throws {
        var row = IndexRows.Row()
        row.storedLength = UInt32(block.stored.count)
        row.rawLength = block.rawLength
        row.counts[0] = entryCount
        row.flags = block.codec << 1
        // A raw block shows its namespace; a compressed one is assumed to have the namespace of the seeds.
        if block.codec == 0, block.stored.count >= 20 {
            row.namespace = block.stored[16..<20].reduce(0) { $0 << 8 | UInt32($1) }
        }
        let above = SegmentFacts.start(of: row.namespace) + [UInt8](repeating: 0xff, count: 64)
        var found = FoundRow(row)
        let file = file(block, row, smallest: SegmentFacts.start(of: row.namespace), largest: above)
        guard let check = try SegmentCheck(file), try check.readAll(each: { found.add($0) }) != nil else { return }
        let exact = self.file(block, found.row, smallest: found.smallestKey, largest: found.largestKey)
        guard let check = try SegmentCheck(exact) else { throw FuzzFinding("a readable block makes no segment") }
        if let failure = check.verify() { throw FuzzFinding("a readable block does not verify: \(failure)") }
    }

    private static func file(
        _ block: SegmentParts.Block, _ row: IndexRows.Row, smallest: [UInt8], largest: [UInt8]
    ) -> [UInt8] {
        let facts = SegmentFacts([row], smallest: smallest, largest: largest)
        var parts = SegmentParts()
        parts.data = [block]
        parts.index = .init(IndexRows.encode(row, separator: largest))
        parts.directory = .init(facts.directory)
        parts.properties = .init(facts.properties)
        return parts.file()
    }

    static func rawBlocks() throws -> [[UInt8]] {
        try [1, 12, 60].flatMap { try SegmentSample.parts(count: $0).data.map(\.stored) }
    }

    static func seeds(_ codec: BlockCodec) -> @Sendable () throws -> [[UInt8]] {
        { try CompressedSeeds.make(codec) }
    }
}

/// The index row of a block, computed from its entries.
private struct FoundRow {
    private(set) var row: IndexRows.Row
    private(set) var smallestKey: [UInt8] = []
    private(set) var largestKey: [UInt8] = []
    private var isEmpty = true

    init(_ lengths: IndexRows.Row) {
        row = lengths
        row.counts = [UInt32](repeating: 0, count: 6)
    }

    mutating func add(_ entry: Entry) {
        let kind = entry.trailer.kind
        let sequence = entry.trailer.sequence
        let bytes = UInt32(entry.key.count + entry.value.count)
        if isEmpty {
            smallestKey = entry.key.array()
            row.namespace = EncodedKey.namespace(of: entry.key).rawValue
        } else if entry.key.array() == largestKey {
            row.flags |= 1
        }
        largestKey = entry.key.array()
        row.sequences[0] = isEmpty ? sequence : min(row.sequences[0], sequence)
        row.sequences[1] = max(row.sequences[1], sequence)
        isEmpty = false
        row.counts[0] += 1
        row.counts[4] &+= bytes
        if kind.isDelete { row.counts[1] += 1 }
        if kind.isPurgeable {
            row.counts[2] += 1
            row.counts[5] &+= bytes
            row.sequences[2] = max(row.sequences[2], sequence)
        }
        if kind.hasExpiry {
            row.expiries[0] = row.counts[3] == 0 ? entry.expiry : min(row.expiries[0], entry.expiry)
            row.expiries[1] = row.counts[3] == 0 ? entry.expiry : max(row.expiries[1], entry.expiry)
            row.counts[3] += 1
        }
    }
}

/// Compressed data blocks of the real writer, preceded by the lengths that an index would hold.
private enum CompressedSeeds {
    static func make(_ codec: BlockCodec) throws -> [[UInt8]] {
        try [300, 900, 4000].flatMap { try blocks(SegmentSample.file(codec: codec, blockBytes: $0)) }
    }

    private static func blocks(_ file: [UInt8]) throws -> [[UInt8]] {
        let directory = ReadOnlyDirectory([SegmentParts.name: file])
        let environment = SegmentEnvironment(memoryBudget: 1 << 20, openFileLimit: 16)
        let metadata = try Segment.metadata(
            number: SegmentParts.number, directory: directory, environment: environment)
        let segment = Segment(metadata: metadata, directory: directory, environment: environment)
        return try (0..<segment.blockCount()).map { try segment.indexRow($0) }.filter { $0.codec != .none }.map { row in
            var seed: [UInt8] = []
            seed.append(word: row.handle.rawLength)
            seed.append(word: row.statistics.entryCount)
            let offset = Int(row.handle.offset)
            return seed + file[offset..<(offset + Int(row.handle.storedLength))]
        }
    }
}
