import ShaleBase
import ShaleSegment
import _ShaleHotPaths

/// Entries whose values are JSON documents, and a dictionary for them.
enum DocumentEntries {
    static func make(
        _ kind: SampleDocuments.Kind = .profiles, count: Int, namespace: UInt32 = 1, seed: UInt64 = 1
    ) -> [TestEntry] {
        var documents = SampleDocuments(kind, seed: seed)
        return (0..<count).map { index in
            TestEntry(
                key: EncodedKey.start(of: NamespaceID(rawValue: namespace)) + Array("\(1_000_000 + index)".utf8),
                sequence: SequenceNumber(index + 1), kind: .put, value: documents.next())
        }
    }

    /// Returns a dictionary that is trained with the blocks of a segment of `entries`, written without a dictionary.
    static func dictionary(_ entries: [TestEntry], bytesMax: Int = 4 << 10) throws -> BlockDictionary? {
        let fixture = try SegmentFixture()
        let segment = try fixture.segment(entries, options: SegmentWriterOptions(codec: .zstd(level: 1)))
        var trainer = DictionaryTrainer(.zstd(level: 1))
        for block in 0..<(try segment.blockCount()) { try trainer.add(block, of: segment, asTest: block % 4 == 3) }
        return trainer.train(bytesMax: bytesMax, of: trainer.testBytes(nil))
    }

    static func options(_ dictionary: BlockDictionary?, blockBytes: Int = 16 << 10) -> SegmentWriterOptions {
        var options = SegmentWriterOptions(blockBytes: blockBytes, codec: .zstd(level: 1))
        options.dictionaries[NamespaceID(rawValue: 1)] = dictionary
        return options
    }
}
