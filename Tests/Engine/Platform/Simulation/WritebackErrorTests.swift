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

/// The simulation reports a writeback error as Linux does: once for each open description.
@Suite struct WritebackErrorTests {
    private let files = SimulatedFileSystem(seed: 3)
    private let directory: any Directory

    init() throws { directory = try files.openDirectory("s", create: true) }

    private func failNextWriteback(of kind: OperationKind) {
        files.inject(FaultRule(on: [kind], when: .match(1), .writebackError(EIO)))
    }

    private func afterPowerLoss(_ path: String) -> String? {
        files.crashClone(.keepAll).read(path).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func theNextSyncReportsABackgroundErrorOnceAndTheDataStaysLost() throws {
        let file = try directory.create("f")
        try directory.sync()
        failNextWriteback(of: .write)
        try file.append("lost", at: 0)
        expectFailure(EIO) { try file.sync() }
        try file.sync()
        #expect(try directory.content("f") == "lost", "the page cache shows it")
        #expect(afterPowerLoss("s/f") == "")
        try file.append("kept", at: 4)
        try file.sync()
        #expect(afterPowerLoss("s/f") == "\0\0\0\0kept")
        #expect(files.writebackReports == 1)
    }

    /// Bytes behind those that a store serves need not be on the medium.
    @Test func theMediumIsAskedForTheFirstBytesOnly() throws {
        let file = try directory.create("f")
        try file.append("kept", at: 0)
        try file.sync()
        failNextWriteback(of: .write)
        try file.append("torn", at: 4)
        expectFailure(EIO) { try file.sync() }
        #expect(try file.isOnMedium(first: 4))
        #expect(try !file.isOnMedium(first: 5))
    }

    @Test func aDirectoryReportsItsErrorToEveryDescriptionThatWasOpen() throws {
        let other = try files.openDirectory("s", create: false)
        failNextWriteback(of: .create)
        try directory.make("f", "x", synced: true)
        expectFailure(EIO) { try directory.sync() }
        try directory.sync()
        expectFailure(EIO) { try other.sync() }
        try other.sync()
        // A description that is opened after the report does not get the error.
        try files.openDirectory("s", create: false).sync()
        #expect(afterPowerLoss("s/f") == nil)
    }

    @Test func anErrorThatNobodyWasToldOfWaitsForTheNextDescription() throws {
        failNextWriteback(of: .create)
        try directory.make("f", "x", synced: true)
        let other = try files.openDirectory("s", create: false)
        expectFailure(EIO) { try other.sync() }
        expectFailure(EIO) { try directory.sync() }
    }

    @Test func aNewProcessGetsTheErrorThatItsPredecessorDidNotSee() throws {
        failNextWriteback(of: .create)
        try directory.make("f", "x", synced: true)
        let restarted = files.crashClone(.processKill)
        expectFailure(EIO) { try restarted.openDirectory("s", create: false).sync() }
        #expect(restarted.paths() == ["/s/f"])
        let rebooted = files.crashClone(.keepAll)
        try rebooted.openDirectory("s", create: false).sync()
    }

    /// Measured on Linux: in 20 of 20 runs the kernel reported the error to exactly one of two concurrent syncs.
    @Test func ofTwoSyncsThatRunAtOnceOnOneDescriptionExactlyOneFails() throws {
        let file = try directory.create("f")
        try file.append("lost", at: 0)
        files.inject(FaultRule(on: [.sync], when: .match(1), .error(EIO)))
        files.isPerforming = { [files] kind, _ in
            guard kind == .sync else { return }
            files.isPerforming = nil
            expectFailure(EIO) { try file.sync() }
        }
        try file.sync()
        #expect(files.writebackReports == 1, "the one that ends first takes the error")
        #expect(files.crashClone(.keepAll).read("s/f") != Array("lost".utf8))
    }
}
