import ShaleBase
import ShaleEngine
import ShaleSimulation
import Testing
import _ShaleHotPaths

/// The effect of dictionaries on a whole store.
@Suite struct DictionaryStoreTests {
    private static func store(_ trains: Bool, _ files: SimulatedFileSystem) throws -> TestStore {
        try TestStore(files, scheduling: .deferred) { options in
            options = Engine.Options()
            options.memtableBytes = 16 << 20
            options.syncInterval = nil
            options.trainsDictionaries = trains
        }
    }

    private static func fill(
        _ store: TestStore, _ kind: SampleDocuments.Kind, from first: Int = 0, count: Int
    ) throws -> NamespaceID {
        let namespace =
            try store.engine.namespace(named: [1])?.id ?? store.engine.createNamespace(named: [1])
        var documents = SampleDocuments(kind, seed: UInt64(first + 1))
        for index in 0..<count {
            // In another order than the keys, so that no segment is merely moved.
            let key = Array("key\(1_000_000 + first + index * 7919 % count)".utf8)
            try store.engine.put(documents.next(), forKey: key, in: namespace)
        }
        return namespace
    }

    private static func storedBytes(_ kind: SampleDocuments.Kind, trains: Bool, count: Int) throws -> UInt64 {
        let files = SimulatedFileSystem(seed: 1)
        let store = try store(trains, files)
        let namespace = try fill(store, kind, count: count)
        try store.engine.compact()
        let stored = try store.engine.statistics(of: namespace).storedBytes
        #expect(try store.engine.verify().problems.isEmpty)
        try store.engine.close()
        // Dictionaries belong to the files and not to the slices, so the files are measured.
        let file = files.paths().filter { $0.hasSuffix(".seg") }.reduce(0) { $0 + (files.read($1)?.count ?? 0) }
        #expect(stored < UInt64(file))
        return UInt64(file)
    }

    /// The requirement: a quarter less, including everything that a segment holds besides its blocks.
    @Test(arguments: [SampleDocuments.Kind.profiles, .orders])
    func smallDocumentsTakeAQuarterLess(kind: SampleDocuments.Kind) throws {
        let without = try DictionaryStoreTests.storedBytes(kind, trains: false, count: 40_000)
        let with = try DictionaryStoreTests.storedBytes(kind, trains: true, count: 40_000)
        #expect(with * 4 <= without * 3, "\(without) bytes without, \(with) with")
    }

    @Test func valuesThatADictionaryCannotHelpHaveNone() throws {
        let without = try DictionaryStoreTests.storedBytes(.tokens, trains: false, count: 25_000)
        let with = try DictionaryStoreTests.storedBytes(.tokens, trains: true, count: 25_000)
        #expect(with == without)
    }
}
