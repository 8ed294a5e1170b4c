import ShaleBase
import ShaleEngine
import ShaleLog
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleMaintenance

/// A shipped log with valid checksums and any records causes only typed errors. A store that is restored from it can be
/// opened.
@Suite struct HostileShippedLogTests {
    private static let name = "LOG-0000000001"

    private struct Sample {
        let files: SimulatedFileSystem
        let records: [[UInt8]]
        let previous: LogPredecessor
        let milliseconds: Int64
    }

    private func sample() throws -> Sample {
        let time = ManualTime()
        let files = SimulatedFileSystem(seed: 1)
        let owner = try StoreScript.open(files, time)
        let followed = try FollowedStore(owner, in: files, time)
        for round in 0..<4 {
            try owner.putNumbered(0..<3, "round \(round)")
            if round == 1 { try owner.purge([owner.createNamespace(named: Array("n".utf8))]) }
            try followed.step(owner)
        }
        try followed.follower.close()
        try owner.close()
        let root = try files.openDirectory(FollowedStore.backups, create: false)
        let reader = try LogReader(file: try root.open(Self.name), path: Self.name, number: 1, kind: .backup)
        let previous = try #require(reader.header?.previous)
        var records: [[UInt8]] = []
        while let record = try reader.next() { records.append(record.payload.array()) }
        let last = try #require(followed.moments.last).milliseconds
        return Sample(files: files, records: records, previous: previous, milliseconds: last)
    }

    private func write(_ records: [[UInt8]], _ sample: Sample) throws -> SimulatedFileSystem {
        let files = sample.files.crashClone(.keepAll)
        let root = try files.openDirectory(FollowedStore.backups, create: false)
        try root.remove(Self.name)
        let log = try LogWriter(
            directory: root, name: Self.name, number: 1, kind: .backup, previous: sample.previous, preallocate: 0)
        for record in records { try unsafe record.withUnsafeBytes { try unsafe log.append(Bytes($0)) } }
        let size = log.endOffset
        try log.sync()
        log.markSynced(through: size)
        try log.appendMark()
        try log.close(truncating: true)
        return files
    }

    private func changed(_ records: [[UInt8]], _ random: SeededRandom) -> [[UInt8]] {
        var records = records
        for _ in 0...random.below(3) {
            let index = random.below(records.count)
            switch random.below(6) {
            case 0: records.remove(at: index)
            case 1: records.insert(records[random.below(records.count)], at: index)
            case 2: records.swapAt(index, random.below(records.count))
            case 3: records[index] = Array(records[index].prefix(random.below(records[index].count + 1)))
            case 4: records[index] += random.bytes(1 + random.below(20))
            default:
                guard !records[index].isEmpty else { continue }
                records[index][random.below(records[index].count)] = UInt8(random.below(256))
            }
            if records.isEmpty { return [[]] }
        }
        return records
    }

    @Test func anyRecordsCauseOnlyTypedErrors() throws {
        let sample = try sample()
        let random = SeededRandom(seed: Ring.seed)
        let count = Ring.choose(commit: 2000, nightly: 20_000, release: 100_000)
        var restored = 0
        for number in 0..<count {
            let files = try write(changed(sample.records, random), sample)
            do throws(StorageError) {
                _ = try Maintenance.verifyBackups(in: FollowedStore.backups, number: nil, fileSystem: files)
                _ = try Maintenance.backups(in: FollowedStore.backups, fileSystem: files)
            } catch {
                #expect([.corruption, .newerFormat].contains(error.code), "log \(number), \(Ring.reproduction)")
            }
            let error = refusal(files, sample)
            if let error {
                #expect([.corruption, .newerFormat].contains(error.code), "log \(number), \(Ring.reproduction)")
                #expect(files.paths().allSatisfy { !$0.hasPrefix("/restored") })
            } else {
                restored += 1
                let engine = try PopulatedStore.open(files, at: "/restored", ManualTime())
                _ = try FollowedStore.Content(engine)
                try engine.close()
            }
        }
        #expect(restored > 0 && restored < count)
        Ring.covered(count, "hostile shipped logs")
    }

    /// Restores the last moment. Returns the error, or `nil` if the store was restored.
    private func refusal(_ files: SimulatedFileSystem, _ sample: Sample) -> StorageError? {
        do throws(StorageError) {
            _ = try Maintenance.restore(
                from: FollowedStore.backups, at: FollowedStore.date(sample.milliseconds), into: "/restored",
                options: BackupOptions(), fileSystem: files)
            return nil
        } catch {
            return error
        }
    }
}
