import ShaleBase
import ShaleSegment

/// Targets whose input replaces one part of a segment. The other parts are made to fit it.
extension FuzzTarget {
    static let footer = FuzzTarget("footer", "segment: footer", seeds: seeds { $0.footer }) { input in
        var parts = try SegmentSample.parts()
        parts.footerFields = Array((input + [UInt8](repeating: 0, count: 80)).prefix(80))
        try SegmentCheck(parts.file())?.readAll()
    }

    static let directory = FuzzTarget("directory", "segment: directory", seeds: seeds { $0.directory.stored }) {
        input in
        var parts = try SegmentSample.parts()
        parts.directory = .init(input)
        parts.properties = .init(DirectorySums(input).properties)
        try SegmentCheck(parts.file())?.readAll()
    }

    static let properties = FuzzTarget("properties", "segment: properties", seeds: seeds { $0.properties.stored }) {
        input in
        var parts = try SegmentSample.parts()
        parts.properties = .init(input)
        try SegmentCheck(parts.file())?.readAll()
    }

    static let index = FuzzTarget("index", "segment: index", seeds: seeds { $0.index.stored }) { input in
        var parts = try SegmentSample.parts()
        let rows = IndexRows(input).rows
        let facts = SegmentFacts(rows)
        parts.index = .init(input)
        parts.directory = .init(facts.directory)
        parts.properties = .init(facts.properties)
        parts.data = IndexTarget.data(for: rows, like: parts.data)
        try SegmentCheck(parts.file())?.readAll()
    }

    static let filter = FuzzTarget("filter", "segment: filter", seeds: seeds { $0.filter?.stored ?? [] }) { input in
        var parts = try SegmentSample.parts()
        parts.filter = .init(input)
        try SegmentCheck(parts.file())?.readAll()
    }

    private static func seeds(
        _ part: @escaping @Sendable (SegmentParts) -> [UInt8]
    ) -> @Sendable () throws -> [[UInt8]] {
        { try [1, 12, 60].map { part(try SegmentSample.parts(count: $0)) } }
    }
}

extension SegmentParts {
    /// The footer's fields as stored in the file.
    fileprivate var footer: [UInt8] { Array(file().suffix(SegmentParts.footerBytes).prefix(80)) }
}

/// The properties that make a directory acceptable.
private struct DirectorySums {
    let properties: [UInt8]

    init(_ raw: [UInt8]) {
        let recordBytes = 108
        let count = min(Int(raw.word(UInt32.self, at: 0) ?? 0), raw.count / recordBytes)
        func sum(_ field: Int) -> UInt64 {
            (0..<count).reduce(0) { $0 &+ (raw.word(UInt64.self, at: 4 + recordBytes * $1 + field) ?? 0) }
        }
        func namespace(_ index: Int) -> UInt32 { raw.word(UInt32.self, at: 4 + recordBytes * index) ?? 1 }
        properties = SegmentFacts.encode(
            smallest: SegmentFacts.start(of: namespace(0)),
            largest: SegmentFacts.start(of: namespace(max(0, count - 1))) + [UInt8](repeating: 0xff, count: 64),
            entries: sum(12), dataBytes: sum(44))
    }
}

private enum IndexTarget {
    /// Above this size the data is not adapted. The index then does not cover it and is rejected.
    private static let dataBytesMax = 256 << 10

    /// Returns as many blocks as rows, with the lengths that the rows claim. Their content is real as far as it
    /// reaches, then zeros.
    static func data(for rows: [IndexRows.Row], like blocks: [SegmentParts.Block]) -> [SegmentParts.Block] {
        guard rows.reduce(0, { $0 + Int($1.storedLength) }) <= dataBytesMax else { return blocks }
        return rows.enumerated().map { index, row in
            let real = blocks[index % blocks.count].stored
            let stored = (0..<Int(row.storedLength)).map { $0 < real.count ? real[$0] : 0 }
            return SegmentParts.Block(stored: stored, rawLength: row.rawLength, codec: row.flags >> 1 & 3)
        }
    }
}

extension FuzzTarget {
    /// Input: a segment file.
    static let segment = FuzzTarget(
        "segment", "segment: a whole file",
        seeds: {
            try [
                SegmentSample.file(count: 1), SegmentSample.file(count: 30),
                SegmentSample.file(count: 20, filterBitsPerKey: 0), SegmentSample.file(codec: .lz4, count: 40),
                SegmentSample.file(codec: .zstd(level: 1), count: 40, blockBytes: 2000),
                DictionarySample.shared.get().file,
                SegmentSample.file(count: 40, splitsBlocks: true),
                SegmentSample.file(codec: .lz4, count: 60, blockBytes: 6000, splitsBlocks: true),
                SegmentSample.file(count: 60, blockBytes: 6000, splitsBlocks: true, code: SplitBlockSample.code),
                SegmentSample.file(count: 60, blockBytes: 6000, splitsBlocks: true, code: SplitBlockSample.plainCode),
            ]
        }
    ) { input in
        var file = input
        SegmentSealer.seal(&file, number: SegmentParts.number)
        try SegmentCheck(file)?.readAll()
    }
}

extension FuzzTarget {
    /// Input: a dictionary, for a block that was compressed with another dictionary.
    static let dictionary = FuzzTarget(
        "dictionary", "segment: dictionary", seeds: { [try DictionarySample.shared.get().dictionary] }
    ) { input in
        let sample = try DictionarySample.shared.get()
        var parts = sample.parts
        parts.dictionaries = [
            SegmentParts.Dictionary(namespace: sample.row.namespace, savedShare: 250, block: .init(input))
        ]
        try SegmentCheck(parts.file())?.readAll()
    }
}

/// A segment with dictionaries, made once, and one of its blocks as a separate segment.
struct DictionarySample {
    static let shared = Result { try DictionarySample() }

    /// The whole segment, as the writer made it.
    let file: [UInt8]
    let dictionary: [UInt8]
    /// The first block that needs the dictionary, in a file without it.
    let parts: SegmentParts
    let row: IndexRows.Row

    private init() throws {
        let trained = try SegmentSample.trainDictionary()
        dictionary = trained.bytes.array()
        file = try SegmentSample.file(
            codec: .zstd(level: 1), count: 200, blockBytes: 2000, ofDocuments: true, dictionary: trained)
        let directory = ReadOnlyDirectory([SegmentParts.name: file])
        let environment = SegmentEnvironment(memoryBudget: 1 << 20, openFileLimit: 16)
        let metadata = try Segment.metadata(
            number: SegmentParts.number, directory: directory, environment: environment)
        let segment = Segment(metadata: metadata, directory: directory, environment: environment)
        let rows = try (0..<segment.blockCount()).map { try segment.indexRow($0) }
        guard let index = rows.firstIndex(where: { $0.codec == .zstdDictionary }) else {
            throw FuzzFinding("no block of the sample needs the dictionary")
        }
        let handle = rows[index].handle
        var row = IndexRows.Row()
        row.namespace = try segment.separator(index)[..<4].reduce(0) { $0 << 8 | UInt32($1) }
        row.storedLength = handle.storedLength
        row.rawLength = handle.rawLength
        row.counts[0] = rows[index].statistics.entryCount
        row.flags = StoredCodec.zstdDictionary.rawValue << 1
        let above = SegmentFacts.start(of: row.namespace) + [UInt8](repeating: 0xff, count: 64)
        let facts = SegmentFacts([row], smallest: SegmentFacts.start(of: row.namespace), largest: above)
        var parts = SegmentParts()
        let offset = Int(handle.offset)
        parts.data = [
            .init(
                stored: Array(file[offset..<(offset + Int(handle.storedLength))]), rawLength: handle.rawLength,
                codec: row.flags >> 1)
        ]
        parts.index = .init(IndexRows.encode(row, separator: above))
        parts.directory = .init(facts.directory)
        parts.properties = .init(facts.properties)
        self.parts = parts
        self.row = row
    }
}
