import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleMaintenance

/// Damage to a shipped log is found, and a moment that it precedes is not restored.
@Suite struct DamagedShippedLogTests {
    @Test func everyFlippedByteIsNoticed() throws {
        let time = ManualTime()
        let files = SimulatedFileSystem(seed: 1)
        let owner = try StoreScript.open(files, time)
        let followed = try FollowedStore(owner, in: files, time)
        for round in 0..<4 {
            try owner.putNumbered(0..<2, "round \(round)")
            if round == 2 { try owner.purge([owner.createNamespace(named: Array("n".utf8))]) }
            try followed.step(owner)
        }
        try followed.follower.close()
        try owner.close()
        let path = FollowedStore.backups + "/LOG-0000000001"
        let content = try #require(files.read(path))
        let last = try #require(followed.moments.last)
        var offsets = 0
        // The last 20 bytes are a mark, whose loss loses nothing. Offset 8 has the version of the format.
        let step = Ring.choose(commit: 7, nightly: 1, release: 1)
        for offset in [8] + stride(from: 0, to: content.count - 20, by: step) {
            offsets += 1
            let damaged = files.crashClone(.keepAll)
            damaged.corrupt(path, at: offset, xor: 0x10)
            do throws(StorageError) {
                let problems = try Maintenance.verifyBackups(
                    in: FollowedStore.backups, number: nil, fileSystem: damaged)
                #expect(problems.map(\.file) == ["LOG-0000000001"], "offset \(offset)")
            } catch {
                #expect(error.code == .newerFormat, "offset \(offset)")
            }
            let error = #expect(throws: StorageError.self, "offset \(offset)") {
                try FollowedStore.restore(damaged, at: last.milliseconds, into: "/restored")
            }
            let code = try #require(error?.code)
            #expect(code == .corruption || code == .newerFormat, "offset \(offset)")
            #expect(damaged.paths().allSatisfy { !$0.hasPrefix("/restored") }, "offset \(offset)")
            // The backup itself does not need the log.
            _ = try Maintenance.restore(
                from: FollowedStore.backups, number: 1, into: "/backup", options: BackupOptions(), fileSystem: damaged)
        }
        Ring.covered(offsets, "bytes of shipped logs damaged")
    }

    @Test func aMomentBeforeTheDamageIsRestored() throws {
        let time = ManualTime()
        let files = SimulatedFileSystem(seed: 1)
        let owner = try StoreScript.open(files, time)
        let followed = try FollowedStore(owner, in: files, time)
        let path = FollowedStore.backups + "/LOG-0000000001"
        var ends: [Int] = []
        for round in 0..<4 {
            try owner.putNumbered(0..<2, "round \(round)")
            try followed.step(owner)
            ends.append(try #require(files.read(path)).count)
        }
        try owner.close()
        files.corrupt(path, at: ends[2] + 30, xor: 1)
        let moment = followed.moments[2]
        #expect(try FollowedStore.restore(files, at: moment.milliseconds, into: "/r").content == moment.content)
    }

    @Test func theLogOfAnotherBackupIsRefused() throws {
        let time = ManualTime()
        let files = SimulatedFileSystem(seed: 1)
        let owner = try StoreScript.open(files, time)
        let followed = try FollowedStore(owner, in: files, time)
        try owner.putNumbered(0..<2, "first")
        try followed.step(owner)
        try followed.restart()
        try followed.step(owner)
        try owner.close()
        let first = try #require(files.read(FollowedStore.backups + "/LOG-0000000001"))
        files.write(FollowedStore.backups + "/LOG-0000000002", first)
        let problems = try Maintenance.verifyBackups(in: FollowedStore.backups, number: nil, fileSystem: files)
        #expect(problems.map(\.code) == [.corruption])
    }
}
