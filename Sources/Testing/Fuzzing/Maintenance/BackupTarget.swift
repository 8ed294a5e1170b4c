import ShaleBase
import ShaleEngine
import ShaleLog
import ShaleMaintenance
import ShaleManifest
import ShalePlatform
import ShaleSimulation

extension FuzzTarget {
    /// Input: the records of a backup's file, each preceded by its length (u16). The target builds a valid log around
    /// them. The pool holds the segments of the seeds.
    static let backup = FuzzTarget(
        "backup", "a directory of backups: listing, verifying, restoring", seeds: BackupTarget.seeds
    ) { input in
        let disk = SimulatedFileSystem(seed: 1, quota: 256 << 20)
        disk.recordsOperations = false
        try BackupTarget.write(input, to: disk)
        let isListed = try BackupTarget.attempt { () throws(StorageError) in
            _ = try Maintenance.backups(in: "/backups", fileSystem: disk)
        }
        guard isListed else { return }
        var isSound = false
        try BackupTarget.attempt { () throws(StorageError) in
            isSound = try Maintenance.verifyBackups(in: "/backups", number: nil, fileSystem: disk).isEmpty
        }
        let isRestored = try BackupTarget.attempt { () throws(StorageError) in
            _ = try Maintenance.restore(
                from: "/backups", number: nil, into: "/restored", options: BackupOptions(), fileSystem: disk)
        }
        try require(isRestored || !isSound, "a backup that is sound is not restored")
        let left = disk.paths().filter { $0.hasPrefix("/restored") }
        guard isRestored else { return try require(left.isEmpty, "a restore that failed has left \(left)") }
        let image = disk.crashClone(.keepAll)
        image.recordsOperations = false
        try BackupTarget.open(image)
    }
}

enum BackupTarget {
    private static let pool = "/backups/segments-0000000001"

    /// Runs `body`. Returns false if it throws an error that damage may cause.
    @discardableResult
    static func attempt(_ body: () throws(StorageError) -> Void) throws -> Bool {
        do throws(StorageError) {
            try body()
            return true
        } catch {
            try requireTyped(error, [.corruption, .newerFormat, .missing], namesPosition: false)
            return false
        }
    }

    /// Opens and verifies what was restored, also from a stream.
    static func open(_ disk: SimulatedFileSystem) throws {
        var options = StoreTarget.options
        options.mode = .openExisting
        do throws(StorageError) {
            let engine = try Engine.open(
                at: "/restored", options: options,
                environment: EngineEnvironment(fileSystem: disk, scheduling: .deferred))
            _ = try engine.verify()
            try engine.close()
        } catch {
            try requireTyped(error, namesPosition: false)
        }
    }

    static func write(_ input: [UInt8], to disk: SimulatedFileSystem) throws {
        let root = try disk.openDirectory("/backups", create: true)
        let segments = try disk.openDirectory(pool, create: true)
        for (name, content) in try sample.get().segments {
            let file = try segments.create(name)
            try content.withBytes { (bytes) throws(IOFailure) in try file.write(bytes, at: 0) }
            try file.close()
        }
        let log = try LogWriter(
            directory: root, name: "BACKUP-0000000003", number: 3, kind: .manifest, previous: .none, preallocate: 0)
        try log.appendAndClose(records: input)
    }

    /// A backup made by a real writer.
    private struct Sample: Sendable {
        var records: [UInt8] = []
        var segments: [String: [UInt8]] = [:]
    }

    private static let sample: Result<Sample, any Error> = Result { try makeSample() }

    private static func makeSample() throws -> Sample {
        let disk = SimulatedFileSystem(seed: 2)
        let engine = try StoreTarget.open(disk, mode: .createIfMissing)
        let namespace = try engine.createNamespace(named: [1, 1, 0, 0x6e])
        for number in 0..<40 as Range<UInt8> {
            try engine.put([2, 0, number], forKey: [number], in: namespace, durability: .buffered)
        }
        _ = try Maintenance.backUp(engine, to: "/backups", options: BackupOptions(), fileSystem: disk)
        try engine.close()
        let name = "BACKUP-0000000001"
        let root = try disk.openDirectory("/backups", create: false)
        let reader = try LogReader(file: try root.open(name), path: name, number: 1, kind: .manifest)
        var sample = Sample()
        while let record = try reader.next() {
            sample.records.append(word: UInt16(clamping: record.payload.count))
            sample.records += record.payload.array()
        }
        for path in disk.paths() where path.hasPrefix(pool) {
            sample.segments[String(path.dropFirst(pool.count + 1))] = disk.read(path)
        }
        return sample
    }

    static func seeds() throws -> [[UInt8]] {
        let records = try sample.get().records
        let head = Array(records.prefix(50))
        return [records, head, head + [0, 0]]
    }
}
