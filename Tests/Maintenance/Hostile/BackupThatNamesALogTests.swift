import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSegment
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleMaintenance

/// A backup contains no logs. If its state names one, a store made from it would not open.
@Suite struct BackupThatNamesALogTests {
    private let files = SimulatedFileSystem(seed: 1)

    /// Rewrites the only backup with a log floor, under valid checksums.
    private func nameALog() throws {
        let root = try files.openDirectory("/backups", create: false)
        let sound = try BackupRecord.read(1, in: root, SegmentEnvironment(memoryBudget: 1 << 20, openFileLimit: 4))
        var state = sound.state
        state.logFloor = 64
        let forged = BackupRecord(
            number: 1, pool: sound.pool, identity: sound.identity, wallMilliseconds: 0, state: state)
        try forged.write(in: root)
    }

    @Test func itIsDamageAndIsNotRestored() throws {
        let engine = try StoreScript.open(files, ManualTime())
        let namespace = try engine.createNamespace(named: [1])
        try engine.put([1], forKey: [2], in: namespace)
        _ = try Maintenance.backUp(engine, to: "/backups", options: BackupOptions(), fileSystem: files)
        try engine.close()
        try nameALog()

        #expect(try Maintenance.verifyBackups(in: "/backups", number: nil, fileSystem: files).isEmpty == false)
        let code = code { () throws(StorageError) in
            _ = try Maintenance.restore(
                from: "/backups", number: 1, into: "/restored", options: BackupOptions(), fileSystem: files)
        }
        #expect(code == .corruption)
        #expect(files.paths().allSatisfy { !$0.hasPrefix("/restored") })
    }
}
