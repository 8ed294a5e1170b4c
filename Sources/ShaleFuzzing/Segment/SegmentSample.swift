import ShaleBase
import ShalePlatform
import ShaleSegment
import ShaleSimulation

/// Segments that the real writer made: what most seeds are parts of.
enum SegmentSample {
    /// About `count` entries of several shapes over three namespaces, cut into small blocks.
    static func file(
        codec: BlockCodec = .none, count: Int = 60, filterBitsPerKey: Int = 10, blockBytes: Int = 700
    ) throws -> [UInt8] {
        let files = SimulatedFileSystem()
        let directory = try files.openDirectory("/segments", create: true)
        let options = SegmentWriterOptions(blockBytes: blockBytes, codec: codec, filterBitsPerKey: filterBitsPerKey)
        let writer = try SegmentWriter(directory: directory, number: SegmentParts.number, options: options)
        for index in 0..<count { try add(index, of: count, to: writer) }
        _ = try writer.finish(createdMilliseconds: 1_700_000_000_000)
        return files.read("/segments/" + SegmentParts.name) ?? []
    }

    static func parts(codec: BlockCodec = .none, count: Int = 60) throws -> SegmentParts {
        // Compressed files have compressed tails; those parts are taken from one without.
        SegmentParts(file: try file(codec: codec, count: count))
    }

    private static func add(_ index: Int, of count: Int, to writer: SegmentWriter) throws(StorageError) {
        let namespace = NamespaceID(rawValue: UInt32(1 + 3 * index / count))
        let digits = String(1000 + index / 2)
        let key = EncodedKey.start(of: namespace) + Array("key-\(digits)".utf8)
        // Two versions of each key, the newer one first.
        let sequence = SequenceNumber(1000 - index)
        let isDelete = index % 7 == 3
        let kind =
            isDelete ? EntryKind.delete : .put(purgeable: index % 3 == 0, hasExpiry: index % 5 == 0)
        let value = isDelete ? [] : [UInt8](repeating: UInt8(index), count: namespace.rawValue == 2 ? 8 : index % 50)
        try key.withBytes { (key) throws(StorageError) in
            try value.withBytes { (value) throws(StorageError) in
                try writer.add(
                    key, trailer: Trailer(sequence, kind), expiry: kind.hasExpiry ? 1_000 : 0, value: value)
            }
        }
    }
}
