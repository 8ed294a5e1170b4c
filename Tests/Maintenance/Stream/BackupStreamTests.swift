import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleMaintenance

@Suite struct BackupStreamTests {
    private let time = ManualTime()
    private let files = SimulatedFileSystem(seed: 1)

    @Test(arguments: [nil, 7 as UInt8], [1, 977, 1 << 22]) func aStreamIsItsMoment(key: UInt8?, pieceBytes: Int) throws
    {
        let engine = try StoreScript.open(files, time)
        try engine.putNumbered(0..<500, "first")
        try engine.compact()
        try engine.putNumbered(300..<600, "second")
        let content = try PopulatedStore.content(engine)
        let stream = try StreamedBackup.stream(of: engine, key: key)
        try engine.putNumbered(0..<600, "third")
        try engine.close()
        let info = try StreamedBackup.restore(stream, key: key, to: files, pieceBytes: pieceBytes)
        #expect(info.number == 0 && info.segments > 1)
        #expect(try PopulatedStore.content(of: files, at: StreamedBackup.target, time) == content)
    }

    /// The reader holds batches that are in no segment.
    @Test func aReaderBesideTheOwnerWritesTheStateThatItShows() throws {
        let owner = try StoreScript.open(files, time)
        try owner.putNumbered(0..<500, "first")
        try owner.flush()
        try owner.putNumbered(400..<450, "in the log")
        let reader = try PopulatedStore.open(files, at: StoreScript.path, time)
        let content = try PopulatedStore.content(reader)
        try owner.putNumbered(0..<500, "later")
        let before = files.paths()
        let stream = try StreamedBackup.stream(of: reader)
        #expect(files.paths() == before)
        try owner.close()
        try StreamedBackup.restore(stream, to: files)
        #expect(try PopulatedStore.content(of: files, at: StreamedBackup.target, time) == content)
    }

    @Test func anEmptyStoreIsRestored() throws {
        let engine = try StoreScript.open(files, time)
        let stream = try StreamedBackup.stream(of: engine)
        try engine.close()
        #expect(try StreamedBackup.restore(stream, to: files).segments == 0)
        #expect(try PopulatedStore.content(of: files, at: StreamedBackup.target, time).isEmpty)
    }

    /// Some of the stores have value files.
    @Test func aRandomStoreIsRestoredWithItsHistory() throws {
        for offset in 0..<5 as Range<UInt64> {
            let script = try StoreScript(seed: Ring.seed &+ offset, time: time)
            try script.run(600)
            let content = try PopulatedStore.content(script.engine)
            let stream = try StreamedBackup.stream(of: script.engine, key: 3)
            try script.engine.close()
            try StreamedBackup.restore(stream, key: 3, to: script.files)
            #expect(
                try PopulatedStore.content(of: script.files, at: StreamedBackup.target, time) == content,
                "+ \(offset), \(Ring.reproduction)")
        }
    }

    /// A segment larger than a frame arrives in several; no piece is larger than a frame and its header.
    @Test func piecesAreBounded() throws {
        let engine = try StoreScript.open(files, time) {
            $0.memtableBytes = 8 << 20
            $0.memoryBudget = 64 << 20
        }
        let namespace = try engine.createNamespace(named: [1])
        let random = SeededRandom(seed: 5)
        for number in 0..<40 as Range<UInt8> {
            try engine.put(random.bytes(60_000), forKey: [number], in: namespace, durability: .buffered)
        }
        var largest = 0
        var (progress, total) = (0 as UInt64, 0 as UInt64)
        let info = try Maintenance.backUp(engine, progress: { (progress, total) = ($0.bytes, $0.totalBytes) }) {
            largest = max(largest, $0.byteCount)
        }
        try engine.close()
        #expect(info.storedBytes > 2 << 20 && largest <= (1 << 20) + 4096 && largest > 1 << 20)
        #expect(progress > 1 << 20 && total == info.storedBytes)
    }

    @Test func aDamagedStoreIsNotBackedUp() throws {
        let engine = try StoreScript.open(files, time)
        try engine.putNumbered(0..<300, "value")
        try engine.close()
        let segment = try #require(files.paths().first { $0.hasSuffix(".seg") })
        files.corrupt(segment, at: 100, xor: 1)
        let reader = try PopulatedStore.open(files, at: StoreScript.path, time)
        #expect(code { () throws(StorageError) in _ = try StreamedBackup.stream(of: reader) } == .corruption)
    }

    @Test func aTargetThatIsNotEmptyStaysAsItIs() throws {
        let engine = try StoreScript.open(files, time)
        try engine.putNumbered(0..<10, "value")
        let stream = try StreamedBackup.stream(of: engine)
        try engine.close()
        files.write("\(StreamedBackup.target)/mine", [1])
        let before = files.paths()
        #expect(
            code { () throws(StorageError) in try StreamedBackup.restore(stream, to: files) } == .invalidArgument)
        #expect(files.paths() == before)
    }
}
