import Foundation
import ShaleBase
import ShaleEngine
import ShalePlatform
import Synchronization
import TestSupport
import Testing

@testable import ShaleMaintenance

/// Restoring at random moments, on a real disk, beside an owner that writes at full speed.
@Suite struct ContinuousBackupTests {
    /// The notes of the owner and the follower, by the machine's clock in milliseconds.
    private final class Notes: Sendable {
        struct Write: Sendable {
            let begin: Int64
            let end: Int64
        }

        let writes = Locked<[Write]>([])
        /// For each moment, the time before the follower looked at the store.
        let steps = Locked<[(begin: Int64, moment: Int64)]>([])
        let failures = Locked<[String]>([])

        func collect(_ body: () throws -> Void) {
            do { try body() } catch { failures.withLock { $0.append("\(error)") } }
        }
    }

    private static let keys = 200
    private static let eraseEvery = 3001

    private static func now() -> Int64 { SystemTime().wallMilliseconds }

    private static func value(_ number: Int) -> [UInt8] {
        Array("\(number)".utf8) + [UInt8](repeating: 46, count: 100 + number % 300)
    }

    private static func options() -> Engine.Options {
        var options = Engine.Options()
        options.memtableBytes = 256 << 10
        options.memoryBudget = 16 << 20
        options.segmentBytes = 256 << 10
        options.upperSegmentBytes = 64 << 10
        options.baseLevelBytes = 256 << 10
        options.statisticsInterval = nil
        return options
    }

    /// The batch `number` is that of one key and of the counter. Some are a truncation before it.
    private static func write(_ number: Int, _ owner: Engine, _ namespace: NamespaceID) throws {
        if number % eraseEvery == 0 { try owner.truncate([namespace]) }
        var batch = WriteBatch()
        try batch.put(value(number), forKey: Array("key \(number % keys)".utf8), in: namespace)
        try batch.put(value(number), forKey: Array("last".utf8), in: namespace)
        try owner.write(batch)
    }

    /// Returns the content of the namespace after batch `number`.
    private static func content(after number: Int) -> [[UInt8]: [UInt8]] {
        var content: [[UInt8]: [UInt8]] = [:]
        for past in max(0, number - number % eraseEvery)...number {
            content[Array("key \(past % keys)".utf8)] = value(past)
        }
        content[Array("last".utf8)] = value(number)
        return content
    }

    @Test func aRandomMomentIsTheStateThatTheOwnerHadThen() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("shale-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let (path, backups) = (directory.path + "/store", directory.path + "/backups")
        let notes = Notes()
        try run(path, backups, notes)
        #expect(notes.failures.withLock { $0 } == [])
        let steps = notes.steps.withLock { $0 }
        let writes = notes.writes.withLock { $0 }
        let infos = try Maintenance.backups(in: backups)
        #expect(try Maintenance.verifyBackups(in: backups).isEmpty)
        #expect(infos.count > 2)
        let first = try #require(infos.first).created.timeIntervalSince1970 * 1000
        let last = try #require(steps.last).moment
        let random = SeededRandom(seed: Ring.seed)
        let count = Ring.choose(commit: 12, nightly: 1000, release: 1000)
        let clock = ContinuousClock()
        var elapsed = Duration.zero
        for number in 0..<count {
            let moment = Int64(first) + 1 + Int64(random.below(Int(last - Int64(first)) + 200))
            let target = directory.path + "/restored \(number)"
            var info: BackupInfo?
            elapsed += try clock.measure {
                info = try Maintenance.restore(
                    from: backups, at: Date(timeIntervalSince1970: Double(moment) / 1000), into: target)
            }
            let restored = try #require(info?.restored).timeIntervalSince1970 * 1000
            try check(target, at: moment, restored: Int64(restored.rounded()), writes, steps)
            try FileManager.default.removeItem(atPath: target)
        }
        Ring.covered(
            count, "random moments restored",
            "of \(writes.count) batches in \(infos.count) backups, \(steps.count) steps, \(elapsed / count) each")
    }

    /// Lets an owner write and a follower ship until the owner has written enough.
    private func run(_ path: String, _ backups: String, _ notes: Notes) throws {
        let owner = try Engine.open(at: path, options: Self.options())
        let namespace = try owner.createNamespace(named: Array("n".utf8))
        try Self.write(0, owner, namespace)
        notes.writes.withLock { $0.append(Notes.Write(begin: Self.now(), end: Self.now())) }
        var options = Self.options()
        options.mode = .readOnly
        var following = BackupFollower.Options()
        following.backupInterval = .milliseconds(400)
        following.logBytesMax = 4 << 20
        following.interval = .milliseconds(10)
        let follower = try BackupFollower(
            try Engine.open(at: path, options: options), to: backups, options: following)
        let isDone = Atomic(false)
        let writer = try WorkerThread.start(name: "owner") {
            notes.collect {
                let clock = ContinuousClock()
                let end = clock.now + .seconds(Ring.choose(commit: 2, nightly: 30, release: 30))
                var number = 1
                while clock.now < end, notes.failures.withLock({ $0.isEmpty }) {
                    let begin = Self.now()
                    try Self.write(number, owner, namespace)
                    notes.writes.withLock { $0.append(Notes.Write(begin: begin, end: Self.now())) }
                    number += 1
                }
            }
            isDone.store(true, ordering: .releasing)
        }
        notes.collect {
            while !isDone.load(ordering: .acquiring) {
                let begin = Self.now()
                _ = try follower.step()
                if let moment = follower.shippedThrough { notes.steps.withLock { $0.append((begin, moment)) } }
            }
        }
        writer.join()
        try follower.close()
        try owner.close()
    }

    /// Checks that a restored store is a state that the owner had, and that it is neither too new nor too old.
    private func check(
        _ target: String, at moment: Int64, restored: Int64, _ writes: [Notes.Write],
        _ steps: [(begin: Int64, moment: Int64)]
    ) throws {
        let engine = try Engine.open(at: target, options: Self.options())
        let namespace = try engine.createNamespace(named: Array("n".utf8))
        let entries = try engine.entries(in: namespace)
        let content = Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.value) })
        try engine.close()
        #expect(restored <= moment)
        guard let counter = content[Array("last".utf8)] else {
            // Between a truncation and the batch after it.
            return #expect(content.isEmpty)
        }
        let text = String(decoding: counter.prefix { $0 != 46 }, as: UTF8.self)
        let number = try #require(Int(text))
        #expect(content == Self.content(after: number), "batch \(number) at \(moment)")
        #expect(writes[number].begin <= restored, "batch \(number) began after the moment \(restored)")
        // All batches that had returned before the last step of at most this time began are there.
        if let step = steps.last(where: { $0.moment <= moment }), number + 1 < writes.count {
            #expect(writes[number + 1].end >= step.begin, "batch \(number + 1) is missing at \(moment)")
        }
    }
}
