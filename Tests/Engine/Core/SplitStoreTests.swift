import ShaleBase
import ShaleEngine
import ShaleSimulation
import Testing
import _ShaleHotPaths

/// Stores whose segments have format 2.
@Suite struct SplitStoreTests {
    private static func open(
        _ files: SimulatedFileSystem, splits: Bool, _ compression: Engine.Options.Compression = .zstd(level: 1)
    ) throws -> TestStore {
        try TestStore(files) {
            $0.splitsBlocks = splits ? .always : .never
            $0.lastCompression = compression
            $0.dictionaryDataBytesMin = 64 << 10
            $0.memtableBytes = 1 << 20
        }
    }

    /// The key of document `index`, in another order than that of writing.
    private static func key(_ index: Int) -> [UInt8] { Array("key\(1_000_000 + index * 7919 % 2000)".utf8) }

    private static func fill(_ store: TestStore) throws -> [[UInt8]: [UInt8]] {
        let namespace = try store.engine.createNamespace(named: [1])
        var documents = SampleDocuments(.profiles, seed: 1)
        var content: [[UInt8]: [UInt8]] = [:]
        for index in 0..<2000 {
            let document = documents.next()
            content[key(index)] = document
            try store.engine.put(document, forKey: key(index), in: namespace)
        }
        return content
    }

    private static func check(_ engine: Engine, _ content: [[UInt8]: [UInt8]]) throws {
        let namespace = try #require(engine.namespace(named: [1]))
        let entries = try engine.entries(in: namespace.id)
        #expect(Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.value) }) == content)
        #expect(try engine.verify().problems.isEmpty)
        for (key, value) in content {
            #expect(try unsafe engine.value(forKey: key.span.bytes, in: namespace.id) == value)
        }
    }

    /// Returns the format versions of all segments, from their footers.
    private static func versions(_ files: SimulatedFileSystem) -> Set<UInt8> {
        let segments = files.paths().filter { $0.hasSuffix(".seg") }
        return Set(segments.compactMap { files.read($0).map { $0[$0.count - 20] } })
    }

    @Test func compactionConvertsAStoreThereAndBack() throws {
        let files = SimulatedFileSystem(seed: 1)
        let store = try Self.open(files, splits: false)
        let content = try Self.fill(store)
        try store.engine.compact()
        try store.engine.close()
        for splits in [true, false] {
            let store = try Self.open(files, splits: splits)
            try store.engine.compact()
            try Self.check(store.engine, content)
            // Nothing is left to compact.
            #expect(try store.engine.compactionEstimate().readBytes == 0)
            try store.engine.close()
            #expect(Self.versions(files) == [splits ? 2 : 1])
        }
    }

    @Test(arguments: [Engine.Options.Compression.none, .lz4, .zstd(level: 1)])
    func aStoreOfFormat2IsReadWithTheOptionOff(_ compression: Engine.Options.Compression) throws {
        let files = SimulatedFileSystem(seed: 1)
        let store = try Self.open(files, splits: true, compression)
        let content = try Self.fill(store)
        try store.engine.compact()
        try store.engine.close()
        #expect(Self.versions(files) == [2])
        let reader = try Self.open(files, splits: false)
        try Self.check(reader.engine, content)
        try reader.engine.close()
    }
}
