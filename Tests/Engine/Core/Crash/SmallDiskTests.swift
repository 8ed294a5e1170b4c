import ShaleEngine
import ShalePlatform
import TestSupport
import Testing

/// A full kernel file system: reads work, writes fail with a typed error, purge, truncate and drop work, and writes
/// resume without intervention (contract E-3).
@Suite struct SmallDiskTests {
    private static let cyclesOfAStore = 10

    /// Several lanes at a time, because they mostly wait for the pauses after failed work.
    @Test(.enabled(if: SmallDisk.isPermitted, "no tmpfs can be mounted"), arguments: 0..<4 as Range<UInt64>)
    func aFullDiskIsSurvivedAgainAndAgain(lane: UInt64) throws {
        let disk = try SmallDisk(megabytes: 8)
        let count = Ring.choose(commit: 1, nightly: 50, release: 50)
        let random = SeededRandom(seed: Ring.seed &+ lane)
        var done = 0
        while done < count {
            let path = "\(disk.path)/store"
            let seed = random.next()
            let cycles = try FullDiskCycle(path: path, seed: seed)
            for cycle in 0..<min(SmallDiskTests.cyclesOfAStore, count - done) {
                #expect(throws: Never.self, "LANE=\(lane) SEED=\(seed) CYCLE=\(cycle) \(Ring.reproduction)") {
                    try cycles.run()
                }
                done += 1
            }
            #expect(throws: Never.self) { try cycles.close() }
            try disk.empty()
        }
        Ring.covered(done, "full disks", "tmpfs of 8 MiB")
    }
}
