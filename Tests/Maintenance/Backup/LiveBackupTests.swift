import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleMaintenance

/// Backups by a reader beside the owner of the store.
@Suite struct LiveBackupTests {
    private let time = ManualTime()
    private let files = SimulatedFileSystem(seed: 1)
    private let padding = 64

    private func open(_ hasValues: Bool) throws -> Engine {
        try StoreScript.open(files, time) { $0.largeValueBytes = hasValues ? padding : 0 }
    }

    private func backUp(_ engine: Engine) throws(StorageError) -> BackupInfo {
        try Maintenance.backUp(engine, to: "/backups", options: BackupOptions(), fileSystem: files)
    }

    private func check(
        _ files: SimulatedFileSystem, _ moments: [Int: [[UInt8]: [[UInt8]: [UInt8]]]], into place: String = "/restored"
    ) throws {
        #expect(try Maintenance.verifyBackups(in: "/backups", number: nil, fileSystem: files).isEmpty)
        for info in try Maintenance.backups(in: "/backups", fileSystem: files) {
            let target = "\(place) \(info.number)"
            _ = try Maintenance.restore(
                from: "/backups", number: info.number, into: target, options: BackupOptions(), fileSystem: files)
            let content = try PopulatedStore.content(of: files, at: target, time)
            #expect(content == moments[Int(info.number)], "backup \(info.number), \(Ring.reproduction)")
        }
    }

    @Test(arguments: [false, true]) func eachBackupIsItsMomentAndCopiesWhatIsNew(hasValues: Bool) throws {
        let owner = try open(hasValues)
        try owner.putNumbered(0..<500, "round 0", padding: padding)
        var reader = try PopulatedStore.open(files, at: StoreScript.path, time)
        var moments: [Int: [[UInt8]: [[UInt8]: [UInt8]]]] = [:]
        var (copied, needed) = (0, 0)
        for round in 0..<5 {
            try owner.putNumbered(round * 100..<round * 100 + 300, "round \(round)", padding: padding)
            if round == 2 { try owner.compact() }
            reader = try reader.refreshed()
            // The owner's backups and the reader's share what they can.
            let info = try backUp(round % 3 == 2 ? owner : reader)
            (copied, needed) = (copied + info.copiedSegments, needed + info.segments)
            moments[Int(info.number)] = try PopulatedStore.content(round % 3 == 2 ? owner : reader)
        }
        #expect(copied < needed)
        try owner.close()
        try check(files, moments)
        _ = try Maintenance.pruneBackups(in: "/backups", keeping: 1, fileSystem: files)
        try check(files, moments, into: "/again")
        let names = try files.openDirectory("/backups", create: false).list()
        #expect(names.count { $0.hasPrefix("own-segments-") } == 1, "\(names)")
    }

    /// The owner replaces files at each call of the backup.
    @Test(arguments: [false, true]) func theOwnerMayReplaceEverythingMeanwhile(hasValues: Bool) throws {
        let owner = try open(hasValues)
        try owner.putNumbered(0..<500, "first", padding: padding)
        let reader = try PopulatedStore.open(files, at: StoreScript.path, time)
        let content = try PopulatedStore.content(reader)
        var round = 0
        var isInside = false
        files.willPerform = { _, _ in
            if isInside { return }
            isInside = true
            defer { isInside = false }
            round += 1
            guard round % 7 == 0 else { return }
            do {
                try owner.putNumbered(0..<500, "round \(round)", padding: 64)
                try owner.compact()
            } catch {
                Issue.record("\(error)")
            }
        }
        let info = try backUp(reader)
        files.willPerform = nil
        #expect(round > 14)
        try owner.close()
        try check(files, [Int(info.number): content])
    }

    @Test(arguments: [false, true]) func aBackupMayBeKilledAtAnyCall(hasValues: Bool) throws {
        let owner = try open(hasValues)
        try owner.putNumbered(0..<150, "first", padding: padding)
        var reader = try PopulatedStore.open(files, at: StoreScript.path, time)
        _ = try backUp(reader)
        var moments = [1: try PopulatedStore.content(reader)]
        try owner.putNumbered(100..<250, "second", padding: padding)
        reader = try reader.refreshed()
        moments[2] = try PopulatedStore.content(reader)
        let random = SeededRandom(seed: Ring.seed)
        var crashed: [SimulatedFileSystem] = []
        files.willPerform = { [files] _, _ in
            crashed.append(files.crashClone(.processKill))
            crashed.append(files.crashClone(.drawn(random), seed: random.next()))
        }
        _ = try backUp(reader)
        _ = try Maintenance.pruneBackups(in: "/backups", keeping: 1, fileSystem: files)
        files.willPerform = nil
        try owner.close()
        for left in crashed { try check(left, moments) }
        #expect(crashed.count > 20)
    }
}
