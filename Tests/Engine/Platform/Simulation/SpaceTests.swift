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

/// The simulation's quota, handles and raw access.
@Suite struct SpaceTests {
    @Test func aFullDiskTakesWhatFitsAndRefusesTheRest() throws {
        let fileSystem = SimulatedFileSystem(quota: 10)
        let directory = try fileSystem.openDirectory("s", create: true)
        let file = try directory.create("f")
        try file.append("abcdefg", at: 0)
        #expect(try directory.freeBytes() == 3)
        expectFailure(ENOSPC) { try file.append("hijkl", at: 7) }
        #expect(try directory.content("f") == "abcdefghij")
        try file.append("ABC", at: 0)
        expectFailure(ENOSPC) { try file.preallocate(11) }
        try file.truncate(to: 4)
        #expect(try directory.freeBytes() == 6)
        try file.preallocate(10)
        #expect(try directory.freeBytes() == 0)
        fileSystem.setQuota(20)
        try file.append("more", at: 10)
    }

    @Test func spaceComesBackWithTheLastNameAndTheLastHandle() throws {
        let fileSystem = SimulatedFileSystem(quota: 100)
        let directory = try fileSystem.openDirectory("s", create: true)
        try directory.make("f", "0123456789")
        try directory.link("f", to: "g", in: directory)
        try directory.remove("f")
        #expect(fileSystem.usedBytes == 10)
        let reader = try directory.open("g")
        try directory.remove("g")
        #expect(fileSystem.usedBytes == 10)
        #expect(fileSystem.openHandlePaths == ["/s", "/s/g"])
        reader.close()
        #expect(fileSystem.usedBytes == 0)
        #expect(fileSystem.openHandles == 1)
        try directory.make("a", "xyz")
        try directory.make("b", "x")
        try directory.rename("b", to: "a", in: directory)
        #expect(fileSystem.usedBytes == 1)
    }

    @Test func theQuotaAndTheUsedSpacePassOverToAClone() throws {
        let fileSystem = SimulatedFileSystem(quota: 10)
        let directory = try fileSystem.openDirectory("s", create: true)
        try directory.make("f", "0123456", synced: true)
        try directory.make("lost", "01")
        let clone = fileSystem.crashClone(.namesOnly)
        #expect(clone.usedBytes == 7)
        #expect(try clone.openDirectory("s", create: false).freeBytes() == 3)
    }

    @Test func aSparseFileCostsItsLengthAndNoMemory() throws {
        let fileSystem = SimulatedFileSystem()
        let directory = try fileSystem.openDirectory("s", create: true)
        let file = try directory.create("f")
        try file.preallocate(1 << 30)
        try file.append("x", at: 1 << 29)
        #expect(fileSystem.usedBytes == 1 << 30)
        let target = OwnedBytes(count: 3)
        #expect(try directory.open("f").read(into: target.mutable, at: (1 << 29) - 1) == 3)
        #expect(target.bytes.array() == [0, UInt8(ascii: "x"), 0])
        expectFailure(EFBIG) { try file.append("x", at: 1 << 60) }
    }

    @Test func rawAccessReadsReplacesDamagesAndLosesFiles() throws {
        let fileSystem = SimulatedFileSystem()
        fileSystem.write("/s/d/f", [1, 2, 3])
        #expect(fileSystem.paths() == ["/s/d/f"])
        #expect(fileSystem.read("s/d/f") == [1, 2, 3])
        #expect(fileSystem.read("s/d") == nil)
        #expect(fileSystem.corrupt("s/d/f", at: 1, xor: 0xff))
        #expect(!fileSystem.corrupt("s/d/f", at: 3, xor: 0xff))
        #expect(fileSystem.crashClone(.dropAll).read("s/d/f") == [1, 0xfd, 3])
        fileSystem.write("s/d/f", [9])
        #expect(fileSystem.usedBytes == 1)
        fileSystem.remove("s/d/f")
        #expect(fileSystem.crashClone(.dropAll).paths() == [])
        #expect(fileSystem.usedBytes == 0)
        #expect(fileSystem.operationCount == 0)
    }

    @Test func aTreeGoesToTheRealDiskAndComesBack() throws {
        let content = SeededRandom(seed: 9).bytes(70_000)
        let fileSystem = SimulatedFileSystem()
        fileSystem.write("s/wal/1.wal", content)
        fileSystem.write("s/CURRENT", [1])
        let temporary = try TemporaryDirectory()
        let real = try PosixFileSystem().openDirectory(temporary.path, create: false)
        try DirectoryCopy.copy(fileSystem.openDirectory("s", create: false), to: real)
        #expect(try real.list() == ["CURRENT", "wal"])
        let back = SimulatedFileSystem()
        try DirectoryCopy.copy(real, to: back.openDirectory("t", create: true))
        #expect(back.read("t/wal/1.wal") == content)
        #expect(back.paths() == ["/t/CURRENT", "/t/wal/1.wal"])
    }
}

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
