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

/// A file of terabytes that is one hole takes neither memory nor space.
@Suite struct SparseFileTests {
    private static let size = 4 << 40

    @Test func aHoleTakesNeitherMemoryNorSpace() throws {
        let files = SimulatedFileSystem(quota: 1 << 20)
        files.writeSparse("s/f", Array("head".utf8), size: SparseFileTests.size)
        #expect(files.usedBytes == 4)
        let directory = try files.openDirectory("s", create: false)
        let file = try directory.open("f")
        #expect(try file.size() == UInt64(SparseFileTests.size))
        let target = OwnedBytes(count: 8)
        #expect(try file.read(into: target.mutable, at: 0) == 8)
        #expect(target.bytes.array() == Array("head".utf8) + [0, 0, 0, 0])
        #expect(try file.read(into: target.mutable, at: UInt64(SparseFileTests.size - 3)) == 3)
        let clone = files.crashClone(.random, seed: 1)
        #expect(clone.usedBytes == 4)
        #expect(try clone.openDirectory("s", create: false).sizeOfFile("f") == UInt64(SparseFileTests.size))
    }

    @Test func bytesWrittenFarBehindTheBeginningAreReadThereAndAreGoneAfterATruncation() throws {
        let files = SimulatedFileSystem(quota: 1 << 50)
        let directory = try files.openDirectory("s", create: true)
        let file = try directory.create("f")
        let reader = try directory.open("f")
        let (start, size) = (UInt64(0), UInt64(SparseFileTests.size))
        func text(_ count: Int, at offset: UInt64) throws -> String {
            let target = OwnedBytes(count: count)
            let done = try reader.read(into: target.mutable, at: offset)
            return String(decoding: target.bytes.slice(0, done).array(), as: UTF8.self)
        }
        try file.append("far", at: size)
        let holes = try #require(reader as? SimulatedReadableFile)
        #expect(
            try [0, 1, size - 1, size + 1, size + 3, size + 4].map { try holes.contentOffset(from: $0) }
                == [size, size, size, size + 1, size + 3, size + 4])
        try file.append("near", at: 3)
        #expect(try holes.contentOffset(from: 0) == 0)
        #expect(try text(5, at: size - 1) == "\0far")
        #expect(try text(8, at: start) == "\0\0\0near\0")
        try file.truncate(to: size + 1)
        try file.truncate(to: size + 3)
        #expect(try text(5, at: size) == "f\0\0")
        try file.truncate(to: 5)
        try file.truncate(to: size + 3)
        #expect(try text(8, at: start) == "\0\0\0ne\0\0\0")
        #expect(try text(5, at: size) == "\0\0\0")
    }
}

/// `preallocate` in the simulated system models.
@Suite struct SimulatedReservationTests {
    private func make(
        _ reservation: SystemModel.Reservation, quota: Int = 1 << 40
    ) throws -> (SimulatedFileSystem, any WritableFile) {
        var model = SystemModel()
        model.reservation = reservation
        let files = SimulatedFileSystem(seed: 1, quota: quota, model: model)
        return (files, try files.openDirectory("s", create: true).create("f"))
    }

    private func content(_ files: SimulatedFileSystem) -> [UInt8] { files.read("s/f") ?? [] }

    @Test(arguments: SystemModel.Reservation.allCases)
    func reservingLeavesWhatWasWritten(_ reservation: SystemModel.Reservation) throws {
        let (files, file) = try make(reservation)
        try file.append("abc", at: 0)
        try file.preallocate(10_000)
        try file.preallocate(5)
        let isReserved = reservation != .unsupported
        #expect(content(files) == Array("abc".utf8) + [UInt8](repeating: 0, count: isReserved ? 9997 : 0))
        #expect(files.usedBytes == (isReserved ? 10_000 : 3))
        #expect((file.window(offset: 0, count: 8192) != nil) == isReserved, "nothing to map behind the end")
    }

    @Test(arguments: SystemModel.Reservation.allCases)
    func aReservationThatDoesNotFitLeavesNothingOrAPart(_ reservation: SystemModel.Reservation) throws {
        let (files, file) = try make(reservation, quota: 10_000)
        if reservation == .unsupported {
            try file.preallocate(20_000)
        } else {
            expectFailure(ENOSPC) { try file.preallocate(20_000) }
        }
        let isInPart = reservation == .partial || reservation == .zeroBytes
        #expect(content(files).count == (isInPart ? 8192 : 0))
    }

    /// Each model, when the file grows further during the call.
    @Test(arguments: [
        (SystemModel.Reservation.kept, true, 9000), (.unsupported, true, 9000), (.partial, true, 9000),
        (.zeroBytes, false, 9000), (.sizeLast, false, 8192),
    ])
    func aFileThatGrowsMeanwhile(
        _ reservation: SystemModel.Reservation, _ isWhole: Bool, _ size: Int
    ) throws {
        let (files, file) = try make(reservation)
        let text = String(repeating: "x", count: 9000)
        files.isPerforming = { kind, _ in
            if kind == .preallocate { #expect(throws: Never.self) { try file.append(text, at: 0) } }
        }
        try file.preallocate(8192)
        #expect(content(files).count == size)
        #expect((content(files) == Array(text.utf8)) == isWhole)
        var model = SystemModel()
        model.reservation = reservation
        #expect(model.isSafeWithThreads == isWhole)
    }
}
