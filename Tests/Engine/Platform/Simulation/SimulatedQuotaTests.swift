import ShaleBase
import ShalePlatform
import ShaleSimulation
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A user's quota is not the size of the disk: its error is different, and the free space does not show it.
@Suite struct SimulatedQuotaTests {
    @Test func aUsersQuotaFailsWithEDQUOTWhileTheDiskHasSpace() throws {
        let files = SimulatedFileSystem(quota: 1000)
        let directory = try files.openDirectory("s", create: true)
        files.setUserQuota(10)
        let file = try directory.create("f")
        expectFailure(EDQUOT) { try file.append("0123456789abc", at: 0) }
        #expect(try directory.content("f") == "0123456789")
        #expect(try directory.freeBytes() == 990)
        files.setUserQuota(nil)
        try file.append("abc", at: 10)
    }

    @Test func reservedSpaceCounts() throws {
        let files = SimulatedFileSystem(quota: 1 << 20)
        let directory = try files.openDirectory("s", create: true)
        files.setUserQuota(10_000)
        let file = try directory.create("f")
        try file.preallocate(9000)
        expectFailure(EDQUOT) { try directory.make("g", String(repeating: "x", count: 2000)) }
        try file.truncate(to: 0)
        try directory.make("h", String(repeating: "x", count: 2000))
    }

    @Test func theSmallerOfDiskAndQuotaRefuses() throws {
        let files = SimulatedFileSystem(quota: 5)
        let directory = try files.openDirectory("s", create: true)
        files.setUserQuota(10)
        expectFailure(ENOSPC) { try directory.make("f", "0123456789abc") }
        let left = files.crashClone(.processKill)
        left.setQuota(100)
        expectFailure(EDQUOT) { try left.openDirectory("s", create: false).make("g", "0123456789abc") }
    }

    @Test func aQuotaIsALackOfSpaceAnInterruptionIsNot() {
        for number in [ENOSPC, EDQUOT, EFBIG] {
            #expect(IOFailure("write", "f", number).isOutOfSpace)
            #expect(IOFailure("write", "f", number).storageError.code == .noSpace)
        }
        for number in [EINTR, EIO, EMFILE] { #expect(!IOFailure("write", "f", number).isOutOfSpace) }
    }
}
