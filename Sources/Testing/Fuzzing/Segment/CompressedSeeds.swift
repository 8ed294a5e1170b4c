import ShaleBase
import ShaleSegment

/// Compressed data blocks of the real writer, preceded by the lengths that an index would hold.
enum CompressedSeeds {
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
