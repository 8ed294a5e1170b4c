import ShaleBase
import ShaleEngine
import ShaleManifest
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleMaintenance

/// Streams carry the value files of a store.
@Suite struct ValueStreamTests {
    private let time = ManualTime()
    private let files = SimulatedFileSystem(seed: 1)

    private func open() throws -> Engine { try StoreScript.open(files, time) { $0.largeValueBytes = 64 } }

    @Test(arguments: [nil, 7 as UInt8], [977, 1 << 22]) func aStreamIsItsMoment(key: UInt8?, pieceBytes: Int) throws {
        let engine = try open()
        try engine.putNumbered(0..<300, "first", padding: 100)
        try engine.compact()
        try engine.putNumbered(200..<400, "second", padding: 100)
        let namespace = try engine.createNamespace(named: [1])
        try engine.put(SeededRandom(seed: 1).bytes(3 << 20), forKey: [1], in: namespace)
        let content = try PopulatedStore.content(engine)
        var (progress, total) = (0 as UInt64, 0 as UInt64)
        var stream: [UInt8] = []
        try Maintenance.backUp(
            engine, options: StreamedBackup.options(key),
            progress: { (progress, total) = ($0.bytes, $0.totalBytes) }
        ) { piece in unsafe piece.withUnsafeBytes { unsafe stream.append(contentsOf: $0) } }
        #expect(progress > 2 << 20 && progress <= total && total > 3 << 20)
        try engine.putNumbered(0..<400, "third", padding: 100)
        try engine.close()
        let info = try StreamedBackup.restore(stream, key: key, to: files, pieceBytes: pieceBytes)
        #expect(info.valueFiles > 1 && info.storedBytes == total)
        #expect(try PopulatedStore.content(of: files, at: StreamedBackup.target, time) == content)
    }

    @Test func aReaderBesideTheOwnerWritesTheStateThatItShows() throws {
        let owner = try open()
        try owner.putNumbered(0..<100, "first", padding: 100)
        try owner.flush()
        try owner.putNumbered(80..<120, "in the log", padding: 100)
        let reader = try PopulatedStore.open(files, at: StoreScript.path, time)
        let content = try PopulatedStore.content(reader)
        try owner.putNumbered(0..<200, "later", padding: 100)
        try owner.compact()
        let stream = try StreamedBackup.stream(of: reader)
        try owner.close()
        try StreamedBackup.restore(stream, to: files)
        #expect(try PopulatedStore.content(of: files, at: StreamedBackup.target, time) == content)
    }

    /// A reader of the first version of streams refuses one with value files before anything else in it.
    @Test func onlyAStreamWithValueFilesSaysSo() throws {
        let engine = try open()
        try engine.putNumbered(0..<10, "first")
        #expect(try StreamedBackup.stream(of: engine)[12] == 0)
        try engine.putNumbered(0..<10, "first", padding: 100)
        #expect(try StreamedBackup.stream(of: engine)[12] == 2)
        #expect(try StreamedBackup.stream(of: engine, key: 1)[12] == 3)
        try engine.close()
    }
}
