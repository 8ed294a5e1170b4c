import ShaleBase
import ShalePlatform
import ShaleSimulation
import Testing

/// The effect of a crash on the content of files.
@Suite struct CrashDataTests {
    /// Calls `body` with a file that has a durable name, a durable start and unsynced writes behind it.
    private func withUnsyncedWrites(_ body: (SimulatedFileSystem, any WritableFile) throws -> Void) throws {
        let fileSystem = SimulatedFileSystem()
        let directory = try fileSystem.openDirectory("s", create: true)
        let file = try directory.create("f")
        try file.append("synced", at: 0)
        try file.sync()
        try directory.sync()
        try file.append("first.", at: 6)
        try file.append("second", at: 12)
        try body(fileSystem, file)
    }

    private func text(_ fileSystem: SimulatedFileSystem, _ path: String = "s/f") -> String? {
        fileSystem.read(path).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func syncedDataSurvivesAndUnsyncedDataIsDropped() throws {
        try withUnsyncedWrites { fileSystem, _ in
            #expect(text(fileSystem.crashClone(.dropAll)) == "synced")
            #expect(text(fileSystem) == "syncedfirst.second")
        }
    }

    @Test func keepingEverythingKeepsEverything() throws {
        try withUnsyncedWrites { fileSystem, _ in
            #expect(text(fileSystem.crashClone(.keepAll)) == "syncedfirst.second")
            #expect(text(fileSystem.crashClone(.processKill)) == "syncedfirst.second")
        }
    }

    @Test func independentWritesSurviveInEveryCombination() throws {
        try withUnsyncedWrites { fileSystem, _ in
            let policy = CrashPolicy(keepData: 0.5, keepNames: 1)
            let seen = Set((0..<64).map { text(fileSystem.crashClone(policy, seed: $0)) })
            #expect(seen == ["synced", "syncedfirst.", "synced\0\0\0\0\0\0second", "syncedfirst.second"])
        }
    }

    @Test func withoutReorderingAPrefixOfTheWritesSurvives() throws {
        try withUnsyncedWrites { fileSystem, _ in
            var policy = CrashPolicy(keepData: 0.5, keepNames: 1)
            policy.reorders = false
            let seen = Set((0..<64).map { text(fileSystem.crashClone(policy, seed: $0)) })
            #expect(seen == ["synced", "syncedfirst.", "syncedfirst.second"])
        }
    }

    @Test func aTornWriteLeavesAProperPrefixOfItsBytes() throws {
        try withUnsyncedWrites { fileSystem, _ in
            var policy = CrashPolicy(keepData: 0, keepNames: 1)
            policy.tear = 1
            policy.reorders = false
            let seen = Set((0..<64).map { text(fileSystem.crashClone(policy, seed: $0)) })
            #expect(seen == Set((0..<6).map { "synced" + "first.".prefix($0) }))
        }
    }

    @Test func zeroFilledAndStaleWritesHaveTheirLength() throws {
        try withUnsyncedWrites { fileSystem, _ in
            fileSystem.write("s/old", Array(repeating: UInt8(ascii: "o"), count: 5000))
            var policy = CrashPolicy(keepData: 0, keepNames: 1)
            policy.zeroFill = 1
            #expect(text(fileSystem.crashClone(policy)) == "synced" + String(repeating: "\0", count: 12))
            policy.zeroFill = 0
            policy.stale = 1
            #expect(text(fileSystem.crashClone(policy, seed: 1)) == "synced" + String(repeating: "o", count: 12))
        }
    }

    @Test func truncationAndPreallocationAreDurableWithTheSyncOnly() throws {
        try withUnsyncedWrites { fileSystem, file in
            try file.sync()
            try file.truncate(to: 3)
            try file.preallocate(8)
            #expect(text(fileSystem) == "syn\0\0\0\0\0")
            #expect(text(fileSystem.crashClone(.dropAll)) == "syncedfirst.second")
            try file.sync()
            #expect(text(fileSystem.crashClone(.dropAll)) == "syn\0\0\0\0\0")
        }
    }

    @Test func theOriginalAndItsClonesAreIndependent() throws {
        try withUnsyncedWrites { fileSystem, file in
            let clone = fileSystem.crashClone(.keepAll)
            try file.append("XXXXXX", at: 0)
            #expect(text(clone) == "syncedfirst.second")
            clone.write("s/f", Array("other".utf8))
            #expect(text(fileSystem) == "XXXXXXfirst.second")
            #expect(clone.crashClone(.dropAll).read("s/f") == Array("other".utf8))
        }
    }

    @Test func bytesThatACrashHasLeftAreDurable() throws {
        try withUnsyncedWrites { fileSystem, _ in
            let after = fileSystem.crashClone(.keepAll)
            #expect(text(after.crashClone(.dropAll)) == "syncedfirst.second")
        }
    }

    @Test func aKilledProcessLeavesItsUnsyncedDataToTheNextPowerLoss() throws {
        try withUnsyncedWrites { fileSystem, _ in
            let restarted = fileSystem.crashClone(.processKill)
            #expect(text(restarted) == "syncedfirst.second")
            #expect(text(restarted.crashClone(.dropAll)) == "synced")
        }
    }

    @Test func aFailedSyncLosesItsDataAlthoughTheNextSyncSucceeds() throws {
        try withUnsyncedWrites { fileSystem, file in
            fileSystem.inject(FaultRule(on: [.sync], when: .always, .error(5)))
            expectFailure(5) { try file.sync() }
            try file.sync()
            #expect(text(fileSystem) == "syncedfirst.second")
            #expect(text(fileSystem.crashClone(.keepAll)) == "synced")
            #expect(text(fileSystem.crashClone(.processKill)) == "syncedfirst.second")
            try file.append("again!", at: 6)
            try file.sync()
            #expect(text(fileSystem.crashClone(.dropAll)) == "syncedagain!")
        }
    }

    @Test func aLyingSyncMakesNothingDurable() throws {
        try withUnsyncedWrites { fileSystem, file in
            fileSystem.inject(FaultRule(when: .always, .syncLies))
            try file.sync()
            #expect(text(fileSystem.crashClone(.dropAll)) == "synced")
            try file.sync()
            #expect(text(fileSystem.crashClone(.dropAll)) == "syncedfirst.second")
        }
    }
}
