import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleMaintenance

/// A follower may be killed at any call, and its machine may lose power: every moment that a step has reported is
/// restored, and another follower goes on.
@Suite struct KilledFollowerTests {
    private struct Crash {
        let files: SimulatedFileSystem
        /// The number of steps that had returned.
        let steps: Int
    }

    @Test(arguments: [false, true]) func everyReportedMomentIsRestored(hasValues: Bool) throws {
        let padding = hasValues ? 64 : 0
        let time = ManualTime()
        let files = SimulatedFileSystem(seed: 1)
        let owner = try StoreScript.open(files, time) { $0.largeValueBytes = padding }
        try owner.putNumbered(0..<50, "before", padding: padding)
        let followed = try FollowedStore(owner, in: files, time) {
            $0.backupInterval = .milliseconds(50)
            $0.keptTime = .milliseconds(100)
        }
        let random = SeededRandom(seed: Ring.seed)
        var crashes: [Crash] = []
        let last = Ring.choose(commit: 14, nightly: 30, release: 30)
        for round in 1...last {
            try owner.putNumbered(round..<round + 10, "round \(round)", padding: padding)
            if round % 3 == 0 { try owner.truncate([owner.createNamespace(named: Array("n".utf8))]) }
            files.willPerform = { [files] _, _ in
                crashes.append(Crash(files: files.crashClone(.processKill), steps: round))
                crashes.append(Crash(files: files.crashClone(.drawn(random), seed: random.next()), steps: round))
                crashes.append(Crash(files: files.crashClone(.dropAll), steps: round))
            }
            try followed.step(owner)
            files.willPerform = nil
        }
        try owner.close()
        for crash in crashes { try check(crash, followed, random) }
        Ring.covered(crashes.count, "followers of backups killed")
    }

    private func check(_ crash: Crash, _ followed: FollowedStore, _ random: SeededRandom) throws {
        #expect(try Maintenance.verifyBackups(in: FollowedStore.backups, number: nil, fileSystem: crash.files).isEmpty)
        let last = followed.moments[crash.steps - 1]
        let restored = try FollowedStore.restore(crash.files, at: last.milliseconds, into: "/last")
        #expect(restored.content == last.content, "after \(crash.steps) steps, \(Ring.reproduction)")
        let newest = try FollowedStore.restore(crash.files, at: last.milliseconds + 1000, into: "/newest").content
        #expect(
            newest == last.content || newest == followed.moments[crash.steps].content,
            "after \(crash.steps) steps, \(Ring.reproduction)")
        guard random.chance(0.1) else { return }
        let time = ManualTime(wallMilliseconds: last.milliseconds + 2000)
        let owner = try StoreScript.open(crash.files, time)
        let next = try FollowedStore(owner, in: crash.files, time)
        try owner.putNumbered(0..<5, "next")
        try next.step(owner)
        try next.check()
        #expect(try FollowedStore.restore(crash.files, at: last.milliseconds, into: "/again").content == last.content)
        try owner.close()
    }
}
