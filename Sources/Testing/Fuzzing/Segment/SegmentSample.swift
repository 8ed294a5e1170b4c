import ShaleBase
import ShalePlatform
import ShaleSegment
import ShaleSimulation

/// Segments made by the real writer, from whose parts most seeds come.
enum SegmentSample {
    /// Returns a segment file of about `count` entries of several shapes in three namespaces, in small blocks.
    static func file(
        codec: BlockCodec = .none, count: Int = 60, filterBitsPerKey: Int = 10, blockBytes: Int = 700,
        ofDocuments: Bool = false, dictionary: BlockDictionary? = nil, splitsBlocks: Bool = false,
        code: ValueCode? = nil
    ) throws -> [UInt8] {
        let files = SimulatedFileSystem()
        let directory = try files.openDirectory("/segments", create: true)
        var options = SegmentWriterOptions(blockBytes: blockBytes, codec: codec, filterBitsPerKey: filterBitsPerKey)
        options.splitsBlocks = splitsBlocks
        for namespace in (1...3).map({ NamespaceID(rawValue: $0) }) {
            options.dictionaries[namespace] = dictionary
            options.valueCodes[namespace] = code.map { SliceCode($0, savedShare: 500) }
        }
        let writer = try SegmentWriter(directory: directory, number: SegmentParts.number, options: options)
        for index in 0..<count { try add(index, of: count, ofDocuments, to: writer) }
        _ = try writer.finish(createdMilliseconds: 1_700_000_000_000)
        return files.read("/segments/" + SegmentParts.name) ?? []
    }

    static func parts(codec: BlockCodec = .none, count: Int = 60) throws -> SegmentParts {
        // A file with compression has a compressed tail, so the parts are taken from one without.
        SegmentParts(file: try file(codec: codec, count: count))
    }

    /// Trains a dictionary with blocks of a larger sample.
    static func trainDictionary() throws -> BlockDictionary {
        let directory = ReadOnlyDirectory([SegmentParts.name: try file(count: 4000, ofDocuments: true)])
        let environment = SegmentEnvironment(memoryBudget: 1 << 20, openFileLimit: 16)
        let metadata = try Segment.metadata(
            number: SegmentParts.number, directory: directory, environment: environment)
        let segment = Segment(metadata: metadata, directory: directory, environment: environment)
        var trainer = DictionaryTrainer(.zstd(level: 1))
        for block in 0..<(try segment.blockCount()) { try trainer.add(block, of: segment, asTest: block % 4 == 3) }
        guard let trained = trainer.train(bytesMax: 1 << 10, of: trainer.testBytes(nil)) else {
            throw FuzzFinding("a sample makes no dictionary")
        }
        return trained
    }

    private static func add(
        _ index: Int, of count: Int, _ ofDocuments: Bool, to writer: SegmentWriter
    ) throws(StorageError) {
        let namespace = NamespaceID(rawValue: UInt32(1 + 3 * index / count))
        let digits = String(1000 + index / 2)
        let text =
            "{\"name\":\"n\(index * 37 % 101)\",\"state\":\"\(index % 3 == 0 ? "sent" : "paid")\",\"price\":\(index)}"
        let key = EncodedKey.start(of: namespace) + Array("key-\(digits)".utf8)
        // Two versions of each key, the newer one first.
        let sequence = SequenceNumber(max(1000, count) - index)
        let isDelete = index % 7 == 3
        let kind =
            isDelete ? EntryKind.delete : .put(purgeable: index % 3 == 0, hasExpiry: index % 5 == 0)
        let bytes = [UInt8](
            repeating: UInt8(truncatingIfNeeded: index), count: namespace.rawValue == 2 ? 8 : index % 50)
        let value = isDelete ? [] : ofDocuments ? Array(text.utf8) : bytes
        try key.withBytes { (key) throws(StorageError) in
            try value.withBytes { (value) throws(StorageError) in
                try writer.add(
                    key, trailer: Trailer(sequence, kind), expiry: kind.hasExpiry ? 1_000 : 0, value: value)
            }
        }
    }
}
