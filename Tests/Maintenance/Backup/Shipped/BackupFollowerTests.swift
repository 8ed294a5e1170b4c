import Foundation
import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleMaintenance

/// The files that a follower of backups writes and keeps, and the calls that it refuses.
@Suite struct BackupFollowerTests {
    private let time = ManualTime()
    private let files = SimulatedFileSystem(seed: 1)

    private func names() throws -> [String] {
        try files.openDirectory(FollowedStore.backups, create: false).list().sorted()
    }

    @Test func nothingIsWrittenWithoutNews() throws {
        let owner = try StoreScript.open(files, time)
        try owner.putNumbered(0..<100, "first")
        let followed = try FollowedStore(owner, in: files, time)
        var writes: [String] = []
        files.willPerform = { kind, path in
            if path.hasPrefix(FollowedStore.backups) { writes.append("\(kind) \(path)") }
        }
        for _ in 0..<5 { #expect(try followed.step(owner) == .unchanged) }
        time.advance(milliseconds: 1_000_000)
        #expect(try followed.step(owner) == .unchanged)
        #expect(writes == [])
        files.willPerform = nil
        // New segments with the same content are news only for a backup that is due.
        try owner.compact()
        #expect(try followed.step(owner) == .backedUp)
        try owner.flush()
        try owner.compact()
        #expect(try followed.step(owner) == .unchanged)
        try owner.close()
    }

    /// The owner keeps no log for readers, so that batches are in no log any more when the follower looks.
    @Test func aGapMakesABackup() throws {
        let owner = try StoreScript.open(files, time) { $0.readerTimeMax = .zero }
        try owner.putNumbered(0..<10, "first")
        let followed = try FollowedStore(owner, in: files, time)
        for round in 0..<5 {
            try owner.putNumbered(0..<10, "round \(round)")
            #expect(try followed.step(owner) == .shipped)
            for part in 0..<4 {
                try owner.putNumbered(100 * part..<100 * part + 500, "more \(round)")
                try owner.flush()
            }
            try owner.compact()
            #expect(try followed.step(owner) == .backedUp)
        }
        try followed.check()
        try owner.close()
    }

    @Test func aFollowerBeginsWithABackup() throws {
        let owner = try StoreScript.open(files, time)
        let followed = try FollowedStore(owner, in: files, time)
        for round in 0..<3 {
            try owner.putNumbered(0..<10, "round \(round)")
            try followed.step(owner)
            try followed.restart()
            #expect(try followed.step(owner) == .backedUp)
        }
        #expect(try Maintenance.backups(in: FollowedStore.backups, fileSystem: files).map(\.number) == [1, 2, 3, 4])
        try followed.check()
        try owner.close()
    }

    @Test func momentsOfTheKeptTimeStayAndOlderOnesGo() throws {
        let owner = try StoreScript.open(files, time)
        try owner.putNumbered(0..<10, "manual")
        _ = try Maintenance.backUp(owner, to: FollowedStore.backups, options: BackupOptions(), fileSystem: files)
        time.advance(milliseconds: 1000)
        let followed = try FollowedStore(owner, in: files, time) {
            $0.backupInterval = .milliseconds(30)
            $0.keptTime = .milliseconds(200)
        }
        for round in 0..<100 {
            try owner.putNumbered(round..<round + 10, "round \(round)")
            try followed.step(owner)
        }
        let infos = try Maintenance.backups(in: FollowedStore.backups, fileSystem: files)
        // A backup that the follower did not make stays.
        #expect(infos.first?.number == 1)
        #expect(infos.count > 5 && infos.count < 12, "\(infos.map(\.number))")
        let newest = try #require(infos.last?.created).timeIntervalSince1970 * 1000
        let kept = try #require(followed.moments.firstIndex { Double($0.milliseconds) >= newest - 200 })
        try followed.check(kept..<followed.moments.count)
        let logs = try names().filter { $0.hasPrefix("LOG-") }
        #expect(logs.count == infos.count - 1)
        try followed.follower.close()
        _ = try Maintenance.pruneBackups(in: FollowedStore.backups, keeping: 1, fileSystem: files)
        #expect(try names().count { $0.hasPrefix("LOG-") } == 1)
        try followed.check(followed.moments.count - 1..<followed.moments.count)
        try owner.close()
    }

    /// Batches are written while a large backup is copied. The moments in between can be restored then and later.
    @Test func momentsAreShippedWhileABackupIsMade() throws {
        let owner = try StoreScript.open(files, time)
        let namespace = try owner.createNamespace(named: [1])
        let followed = try FollowedStore(owner, in: files, time) {
            $0.backupInterval = .milliseconds(100)
            $0.interval = .milliseconds(5)
        }
        let random = SeededRandom(seed: 1)
        for number in 0..<160 as Range<UInt8> {
            try owner.put(random.bytes(60_000), forKey: [number], in: namespace)
        }
        try owner.flush()
        time.advance(milliseconds: 200)
        var during: [(milliseconds: Int64, content: FollowedStore.Content)] = []
        var middle: SimulatedFileSystem?
        let step = try followed.follower.step { [files, time] _ in
            do {
                try owner.put(random.bytes(10), forKey: [200], in: namespace)
                time.advance(milliseconds: 7)
                during.append((time.wallMilliseconds, try FollowedStore.Content(owner)))
                if during.count == 4 { middle = files.crashClone(.processKill) }
            } catch {
                Issue.record("\(error)")
            }
        }
        #expect(step == .backedUp)
        #expect(during.count > 4)
        let left = try #require(middle)
        for (index, moment) in during.enumerated() {
            let copy = files.crashClone(.processKill)
            #expect(
                try FollowedStore.restore(copy, at: moment.milliseconds, into: "/r").content == moment.content,
                "moment \(index)")
            guard index < 3 else { continue }
            let early = try FollowedStore.restore(left, at: moment.milliseconds, into: "/r\(index)")
            #expect(early.content == moment.content)
        }
        try owner.put([9], forKey: [201], in: namespace)
        #expect(try followed.step(owner) == .shipped)
        try followed.check(followed.moments.count - 1..<followed.moments.count)
        try owner.close()
    }

    @Test func aStepThatFailsIsMadeUpFor() throws {
        let owner = try StoreScript.open(files, time)
        try owner.putNumbered(0..<100, "first")
        let followed = try FollowedStore(owner, in: files, time)
        try owner.putNumbered(0..<100, "second")
        files.setQuota(files.usedBytes)
        #expect(throws: StorageError.self) { try followed.follower.step() }
        #expect(throws: StorageError.self) { try followed.follower.step() }
        files.setQuota(1 << 40)
        #expect(try followed.step(owner) == .backedUp)
        try followed.check()
        try owner.close()
    }

    @Test func theDirectoryIsLockedUntilTheFollowerIsClosed() throws {
        let owner = try StoreScript.open(files, time)
        let followed = try FollowedStore(owner, in: files, time)
        for _ in 0..<2 {
            let error = #expect(throws: StorageError.self) {
                try Maintenance.pruneBackups(in: FollowedStore.backups, keeping: 1, fileSystem: files)
            }
            #expect(error?.code == .locked)
        }
        try followed.follower.close()
        try followed.follower.close()
        #expect(throws: StorageError.self) { try followed.follower.step() }
        _ = try Maintenance.pruneBackups(in: FollowedStore.backups, keeping: 1, fileSystem: files)
        let error = #expect(throws: StorageError.self) {
            try BackupFollower(
                owner, to: FollowedStore.backups, options: BackupFollower.Options(), fileSystem: files, time: time)
        }
        #expect(error?.code == .invalidArgument)
        try owner.close()
    }
}

/// The kinds of steps.
private enum StepKind { case unchanged, shipped, backedUp }

extension BackupFollower.Step {
    fileprivate static func == (step: BackupFollower.Step, kind: StepKind) -> Bool {
        switch step {
        case .unchanged: kind == .unchanged
        case .shipped: kind == .shipped
        case .backedUp: kind == .backedUp
        }
    }
}
