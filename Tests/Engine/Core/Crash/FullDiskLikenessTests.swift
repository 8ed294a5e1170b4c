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
