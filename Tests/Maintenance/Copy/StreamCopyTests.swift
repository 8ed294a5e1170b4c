import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleMaintenance

/// Values above 32 MiB, which were written in pieces, come through every copy, or the copy says that it can't have
/// them.
@Suite struct StreamCopyTests {
    private let time = ManualTime()
    private let files = SimulatedFileSystem(seed: 1)
    private static let bytes = 33 << 20

    private static func piece(_ seed: UInt8) -> [UInt8] {
        SeededRandom(seed: UInt64(seed)).bytes(1 << 20)
    }

    private func stream(_ engine: Engine, _ key: UInt8, _ seed: UInt8) throws {
        let namespace = try engine.namespace(named: [1])?.id ?? engine.createNamespace(named: [1])
        let writer = try engine.makeValueWriter()
        let piece = Self.piece(seed)
        for _ in 0..<33 { try unsafe writer.append(piece.span.bytes) }
        try unsafe writer.commit(forKey: [key].span.bytes, in: namespace)
    }

    private func check(_ path: String, on files: SimulatedFileSystem, _ seed: UInt8) throws {
        let engine = try Engine.open(
            at: path, options: StoreScript.options(time),
            environment: EngineEnvironment(fileSystem: files, scheduling: .inline))
        let namespace = try #require(engine.namespace(named: [1])).id
        let key: [UInt8] = [7]
        #expect(try unsafe engine.value(forKey: key.span.bytes, in: namespace)?.count == Self.bytes)
        let part = try unsafe engine.value(forKey: key.span.bytes, bytes: 32 << 20..<(32 << 20) + 70_000, in: namespace)
        #expect(part == Array(Self.piece(seed)[..<70_000]))
        #expect(try engine.verify().problems.isEmpty)
        try engine.close()
    }

    @Test func backupsAndStreamsHaveIt() throws {
        let engine = try StoreScript.open(files, time)
        try stream(engine, 7, 1)
        _ = try Maintenance.backUp(engine, to: "/backups", options: BackupOptions(), fileSystem: files)
        let backup = try StreamedBackup.stream(of: engine)
        try engine.close()
        #expect(
            try Maintenance.verifyBackups(in: "/backups", number: nil, fileSystem: files).isEmpty)
        _ = try Maintenance.restore(
            from: "/backups", number: nil, into: "/restored", options: BackupOptions(), fileSystem: files)
        try check("/restored", on: files, 1)
        let other = SimulatedFileSystem(seed: 2)
        try StreamedBackup.restore(backup, to: other, pieceBytes: 1 << 20)
        try check(StreamedBackup.target, on: other, 1)
    }

    @Test func copiesAndRepairsHaveIt() throws {
        let engine = try StoreScript.open(files, time)
        try stream(engine, 7, 1)
        // One copy is made from the segment, and one from the log.
        try engine.flush()
        try stream(engine, 7, 2)
        let disk = files.crashClone(.processKill)
        try engine.close()
        for (name, source) in [("closed", files), ("killed", disk)] {
            _ = try Maintenance.copy(
                storeAt: StoreScript.path, into: "/copy", options: StoreScript.options(time),
                environment: EngineEnvironment(fileSystem: source, scheduling: .inline))
            try check("/copy", on: source, 2)
            let report = try Maintenance.repair(
                storeAt: StoreScript.path, into: "/repaired", options: RepairOptions(),
                engine: StoreScript.options(time), fileSystem: source)
            #expect(report.losses.isEmpty, "\(name)")
            try check("/repaired", on: source, 2)
        }
    }

    @Test func aRepairReportsALostStreamAndKeepsTheRest() throws {
        let engine = try StoreScript.open(files, time)
        try stream(engine, 7, 1)
        let namespace = try #require(engine.namespace(named: [1])).id
        try engine.put([1, 2], forKey: [8], in: namespace)
        let disk = files.crashClone(.processKill)
        let name = try #require(disk.paths().first { $0.hasSuffix(".val") })
        disk.remove(name)
        let report = try Maintenance.repair(
            storeAt: StoreScript.path, into: "/repaired", options: RepairOptions(),
            engine: StoreScript.options(time), fileSystem: disk)
        #expect(!report.losses.isEmpty)
        let repaired = try Engine.open(
            at: "/repaired", options: StoreScript.options(time),
            environment: EngineEnvironment(fileSystem: disk, scheduling: .inline))
        #expect(try unsafe repaired.value(forKey: [8 as UInt8].span.bytes, in: namespace) == [1, 2])
    }

    @Test func aDumpRefusesIt() throws {
        let engine = try StoreScript.open(files, time)
        try stream(engine, 7, 1)
        try engine.close()
        let error = code { () throws(StorageError) in
            _ = try Maintenance.dump(
                storeAt: StoreScript.path, engine: StoreScript.options(time),
                environment: EngineEnvironment(fileSystem: files, scheduling: .inline)
            ) { _ in }
        }
        #expect(error == .invalidArgument)
    }

    @Test func aFollowerMakesABackupOfIt() throws {
        let owner = try StoreScript.open(files, time)
        let namespace = try owner.createNamespace(named: [1])
        try owner.put([1], forKey: [1], in: namespace)
        let followed = try FollowedStore(owner, in: files, time)
        try stream(owner, 7, 1)
        guard case .backedUp = try followed.step(owner) else { throw Unexpected() }
        try owner.put([2], forKey: [1], in: namespace)
        guard case .shipped = try followed.step(owner) else { throw Unexpected() }
        try followed.check()
        try owner.close()
    }

    /// A value that fits a record is shipped with its batch.
    @Test func aSmallerStreamIsShipped() throws {
        let owner = try StoreScript.open(files, time)
        let namespace = try owner.createNamespace(named: [1])
        let followed = try FollowedStore(owner, in: files, time)
        let writer = try owner.makeValueWriter()
        for seed in 0..<3 as Range<UInt8> { try unsafe writer.append(Self.piece(seed).span.bytes) }
        try unsafe writer.commit(forKey: [7 as UInt8].span.bytes, in: namespace)
        guard case .shipped = try followed.step(owner) else { throw Unexpected() }
        try followed.check()
        try owner.close()
    }
}
