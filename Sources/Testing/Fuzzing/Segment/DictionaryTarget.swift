import ShaleBase
import ShaleSegment

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
