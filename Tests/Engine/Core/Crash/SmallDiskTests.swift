import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A full kernel file system: reads work, writes fail with a typed error, purge, truncate and drop work, and writes
/// resume without intervention.
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

/// A simulated disk becomes full like a kernel file system: the test bed of contract E-3 behaves as the contract
/// assumes.
@Suite struct FullDiskLikenessTests {
    private static let size = 8 << 20

    private func failure(_ body: () throws -> Void) -> Int32? {
        do {
            try body()
            return nil
        } catch {
            return (error as? IOFailure)?.errorNumber
        }
    }

    private func check(_ directory: any Directory) throws {
        let bytes = OwnedBytes(count: 2 * FullDiskLikenessTests.size)
        bytes.mutable.zero(0, bytes.bytes.count)
        let file = try directory.create("f")
        #expect(failure { try file.write(bytes.bytes, at: 0) } == ENOSPC)
        let written = try directory.sizeOfFile("f")
        #expect(written > UInt64(FullDiskLikenessTests.size / 2), "what fits is written")
        #expect(written <= UInt64(FullDiskLikenessTests.size))
        #expect(try directory.freeBytes() < 64 << 10)
        // Existing bytes can be overwritten.
        try file.write(bytes.bytes.slice(0, 64 << 10), at: 0)

        try file.truncate(to: 0)
        #expect(try directory.freeBytes() > UInt64(FullDiskLikenessTests.size / 2), "the space is back")
        #expect(failure { try file.preallocate(UInt64(2 * FullDiskLikenessTests.size)) } == ENOSPC)
        #expect(try directory.sizeOfFile("f") == 0, "all or nothing")

        try file.preallocate(UInt64(FullDiskLikenessTests.size / 2))
        #expect(try directory.freeBytes() <= UInt64(FullDiskLikenessTests.size / 2), "reserved space is used")
        let reader = try directory.open("f")
        try directory.remove("f")
        #expect(try directory.freeBytes() <= UInt64(FullDiskLikenessTests.size / 2), "an open file keeps its space")
        reader.close()
        try file.close()
        #expect(try directory.freeBytes() > UInt64(FullDiskLikenessTests.size / 2))
    }

    @Test func aSimulatedDiskGetsFull() throws {
        let files = SimulatedFileSystem(quota: FullDiskLikenessTests.size)
        try check(files.openDirectory("/disk", create: true))
    }

    @Test(.enabled(if: SmallDisk.isPermitted, "no tmpfs can be mounted"))
    func aDiskOfTheKernelGetsFullInTheSameWay() throws {
        let disk = try SmallDisk(megabytes: 8)
        try withExtendedLifetime(disk) {
            try check(PosixFileSystem().openDirectory(disk.path + "/d", create: true))
        }
    }
}
