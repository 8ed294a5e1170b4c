import Foundation
import ShaleBase
import ShaleEngine
import ShaleLog
import ShaleMaintenance
import ShaleManifest
import ShalePlatform
import ShaleSimulation

extension FuzzTarget {
    /// Input: the records of a shipped log, each preceded by its length (u16). The target builds a valid log around
    /// them, beside the backup of the seeds, which has a value file.
    static let shippedLog = FuzzTarget(
        "shipped-log", "the shipped log of a backup: listing, verifying, restoring", seeds: ShippedLogTarget.seeds
    ) { input in
        let disk = SimulatedFileSystem(seed: 1, quota: 256 << 20)
        disk.recordsOperations = false
        try ShippedLogTarget.write(input, to: disk)
        _ = try BackupTarget.attempt { () throws(StorageError) in
            _ = try Maintenance.backups(in: "/backups", fileSystem: disk)
        }
        var isSound = false
        try BackupTarget.attempt { () throws(StorageError) in
            isSound = try Maintenance.verifyBackups(in: "/backups", number: nil, fileSystem: disk).isEmpty
        }
        let isRestored = try BackupTarget.attempt { () throws(StorageError) in
            _ = try Maintenance.restore(
                from: "/backups", at: Date(timeIntervalSince1970: 1e12), into: "/restored", options: BackupOptions(),
                fileSystem: disk)
        }
        try require(isRestored || !isSound, "a shipped log that is sound is not restored")
        let left = disk.paths().filter { $0.hasPrefix("/restored") }
        guard isRestored else { return try require(left.isEmpty, "a restore that failed has left \(left)") }
        try BackupTarget.open(disk)
    }
}

private enum ShippedLogTarget {
    private static let root = "/backups/"
    private static let log = "LOG-0000000001"

    static func write(_ input: [UInt8], to disk: SimulatedFileSystem) throws {
        let sample = try sample.get()
        for (name, content) in sample.files { disk.write(root + name, content) }
        let log = try LogWriter(
            directory: try disk.openDirectory("/backups", create: false), name: log, number: 1, kind: .backup,
            previous: LogPredecessor(number: 0, size: 0, lastSequence: sample.lastSequence), preallocate: 0)
        try log.appendAndClose(records: input)
    }

    /// A backup made by a real follower, and what it has shipped.
    private struct Sample: Sendable {
        /// The files beside the log, by their names in the directory.
        var files: [String: [UInt8]] = [:]
        var records: [UInt8] = []
        var lastSequence: SequenceNumber = 0
    }

    private static let sample: Result<Sample, any Error> = Result { try makeSample() }

    private static func makeSample() throws -> Sample {
        let disk = SimulatedFileSystem(seed: 2)
        let time = ManualTime()
        let engine = try StoreTarget.open(disk, mode: .createIfMissing) { $0.largeValueBytes = 64 }
        let namespace = try engine.createNamespace(named: [1, 1, 0, 0x6e])
        func put(_ numbers: Range<UInt8>, _ rest: Int) throws {
            for number in numbers {
                let value = [2, 0, number] + [UInt8](repeating: number, count: rest)
                try engine.put(value, forKey: [number], in: namespace, durability: .buffered)
            }
        }
        try put(0..<20, 0)
        try put(10..<15, 80)
        let reader = try StoreTarget.open(disk, mode: .readOnly)
        let follower = try BackupFollower(
            reader, to: "/backups", options: BackupFollower.Options(), fileSystem: disk, time: time)
        _ = try follower.step()
        try put(5..<12, 0)
        _ = try follower.step()
        try put(18..<21, 90)
        try engine.delete([3], in: namespace)
        try engine.purge([namespace])
        _ = try engine.createNamespace(named: [1, 1, 0, 0x6d], options: [])
        _ = try follower.step()
        try follower.close()
        try engine.close()
        var sample = Sample()
        for path in disk.paths() where path.hasPrefix(root) && !path.hasSuffix(log) {
            sample.files[String(path.dropFirst(root.count))] = disk.read(path)
        }
        let directory = try disk.openDirectory("/backups", create: false)
        let records = try LogReader(file: try directory.open(log), path: log, number: 1, kind: .backup)
        sample.lastSequence = records.header?.previous.lastSequence ?? 0
        while let record = try records.next() {
            sample.records.append(word: UInt16(clamping: record.payload.count))
            sample.records += record.payload.array()
        }
        return sample
    }

    static func seeds() throws -> [[UInt8]] {
        let records = try sample.get().records
        return [records, Array(records.prefix(records.count / 2)), []]
    }
}
