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
