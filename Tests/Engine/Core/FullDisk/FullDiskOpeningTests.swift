import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleEngine

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A store opens on a disk without a free byte.
@Suite struct FullDiskOpeningTests {
    @Test(arguments: [true, false])
    func aKilledStoreIsServedFromItsLogs(hasReserve: Bool) throws {
        let killed = try KilledStore()
        if hasReserve { killed.disk.write("/store/RESERVE", [UInt8](repeating: 0, count: 4096)) }
        killed.fill(killed.disk)
        let engine = try KilledStore.open(killed.disk)
        #expect(engine.recovery.isOutOfSpace && engine.statistics.isOutOfSpace)
        #expect(try KilledStore.count(engine, KilledStore.cached) == killed.cachedCount)
        #expect(try KilledStore.count(engine, KilledStore.kept) == killed.keptCount)
        #expect(KilledStore.write(engine) == .noSpace)
        try engine.sync()
        // Once space returns, writes succeed in the same engine.
        killed.disk.setQuota(1 << 40)
        #expect(KilledStore.write(engine) == nil)
        #expect(!engine.statistics.isOutOfSpace)
        try engine.close()
        let reopened = try KilledStore.open(killed.disk)
        #expect(reopened.recovery.removedFiles == 0 && reopened.recovery.replayedBatches == 0)
        #expect(try KilledStore.count(reopened, KilledStore.kept) == killed.keptCount + 1)
    }

    /// Purging, dropping, truncating and closing need no space. Neither does reopening, which shows the same, also
    /// after a power loss.
    @Test(arguments: ["purge", "drop", "truncate"], CrashKind.all.map(\.name))
    func controlOperationsAreDurableBesideLogsThatStay(_ operation: String, _ crash: String) throws {
        let killed = try KilledStore()
        killed.fill(killed.disk)
        let engine = try KilledStore.open(killed.disk, .deferred)
        let cache = try #require(engine.namespace(named: KilledStore.cached)).id
        switch operation {
        case "purge": try engine.purge([cache])
        case "drop": try engine.drop([cache])
        default: try engine.truncate([cache])
        }
        let kind = try #require(CrashKind.all.first { $0.name == crash })
        let left = kind.crash(killed.disk, seed: 3)
        killed.fill(left)
        for disk in [left, killed.disk] {
            if disk === killed.disk { try engine.close() }
            let again = try KilledStore.open(disk, .deferred)
            #expect(try KilledStore.count(again, KilledStore.cached) <= 0)
            #expect(try KilledStore.count(again, KilledStore.kept) == killed.keptCount)
            disk.setQuota(1 << 40)
            #expect(KilledStore.write(again) == nil)
            #expect(try KilledStore.count(again, KilledStore.cached) <= 0)
            try again.close()
        }
    }

    /// Opening and closing repeatedly on a full disk changes nothing after the first time.
    @Test func openingOnAFullDiskLeavesTheFilesAsTheyAre() throws {
        let killed = try KilledStore()
        killed.fill(killed.disk)
        try KilledStore.open(killed.disk).close()
        killed.fill(killed.disk)
        let before = killed.disk.dataFiles.map { killed.disk.read($0) ?? [] }
        for _ in 0..<5 {
            let engine = try KilledStore.open(killed.disk)
            #expect(try KilledStore.count(engine, KilledStore.kept) == killed.keptCount)
            try engine.close()
        }
        #expect(killed.disk.dataFiles.map { killed.disk.read($0) ?? [] } == before)
    }

    /// Killed logs end with space that was reserved for writers.
    @Test func theReservedSpaceOfKilledLogsIsReleased() throws {
        let killed = try KilledStore()
        let logs = killed.disk.paths().filter { $0.contains("/wal/") }
        #expect(logs.contains { killed.disk.read($0)?.last == 0 })
        killed.disk.setQuota(killed.disk.usedBytes)
        let engine = try KilledStore.open(killed.disk, .deferred)
        #expect(engine.recovery.unremovedFiles == 0)
        #expect(try KilledStore.count(engine, KilledStore.kept) == killed.keptCount)
    }

    /// A store that was closed has nothing to replay, and no log to write to.
    @Test func aClosedStoreOpens() throws {
        let store = try TestStore()
        let ns = try store.namespace("kept")
        try store.put("key", "value", in: ns)
        try store.engine.close()
        store.files.setQuota(store.files.usedBytes)
        let engine = try KilledStore.open(store.files)
        #expect(engine.recovery.isOutOfSpace)
        #expect(try KilledStore.count(engine, KilledStore.kept) == 1)
        #expect(KilledStore.write(engine) == .noSpace)
        try engine.purge([ns])
        store.files.setQuota(1 << 40)
        #expect(KilledStore.write(engine) == nil)
        try engine.close()
    }

    /// Files that the current manifest does not need are removed; then the store opens as on any disk.
    @Test func filesThatNothingNeedsMakeRoom() throws {
        let killed = try KilledStore()
        killed.disk.write("/store/segments/0000000777.seg", [UInt8](repeating: 1, count: 4 << 20))
        killed.fill(killed.disk)
        let engine = try KilledStore.open(killed.disk)
        #expect(!engine.recovery.isOutOfSpace)
        #expect(KilledStore.write(engine) == nil)
        #expect(!killed.disk.paths().contains { $0.hasSuffix("777.seg") })
    }

    /// A segment may be unreferenced because of an edit that was read but never synced. The manifest is therefore made
    /// durable before the removal.
    @Test func nothingIsRemovedOnTheWordOfAnEditThatMayBeLost() throws {
        let store = try TestStore()
        let ns = try store.namespace("kept")
        for index in 0..<300 { try store.put("key\(index)", String(repeating: "\(index)", count: 300), in: ns) }
        try store.engine.flush()
        // Killed between an edit's write and its sync: what the edit replaces still exists.
        var killed: [SimulatedFileSystem] = []
        store.files.willPerform = { [unowned files = store.files] kind, path in
            if kind == .sync, path.contains("MANIFEST") { killed.append(files.crashClone(.processKill)) }
        }
        for index in 0..<300 { try store.put("key\(index)", String(repeating: "\(index)", count: 290), in: ns) }
        try store.engine.flush()
        try store.engine.compact()
        store.files.willPerform = nil
        var checked = 0
        for disk in killed.suffix(4) { checked += try checkRemovals(disk) }
        #expect(checked > 0)
    }

    /// Opens the store without space. Every power loss before a removal must leave a store that shows all 300 entries.
    /// Returns the number of removals.
    private func checkRemovals(_ killed: SimulatedFileSystem) throws -> Int {
        killed.setQuota(killed.usedBytes - (300 << 10))
        var removals = 0
        killed.willPerform = { [unowned killed] kind, path in
            guard kind == .remove, path.contains(".seg") else { return }
            removals += 1
            for crash in CrashKind.all {
                let lost = crash.crash(killed, seed: 3)
                lost.setQuota(1 << 40)
                do {
                    let count = try KilledStore.count(KilledStore.open(lost), KilledStore.kept)
                    #expect(count == 300, "\(crash.name) before the removal of \(path)")
                } catch {
                    Issue.record("\(crash.name) before the removal of \(path): \(error)")
                }
            }
        }
        let engine = try KilledStore.open(killed)
        killed.willPerform = nil
        let count = try KilledStore.count(engine, KilledStore.kept)
        #expect(count == 300)
        return removals
    }

    /// A sync that failed in an earlier process leaves pages that look clean. Data that the device does not hold is not
    /// served as durable.
    @Test func logsThatTheDeviceDoesNotHoldAreNotServed() throws {
        let store = try TestStore()
        let ns = try store.namespace("kept")
        try store.put("key", "value", in: ns)
        store.files.inject(FaultRule(on: [.sync], path: "wal/*", when: .match(1), .error(EIO)))
        #expect(code { () throws(StorageError) in try store.engine.sync() } == .indeterminate)
        let killed = store.files.crashClone(.processKill)
        // The space that the log has reserved and does not need would suffice for a new log.
        killed.setQuota(killed.usedBytes - (300 << 10))
        #expect(code { () throws(StorageError) in try KilledStore.open(killed) } == .noSpace)
        killed.setQuota(1 << 40)
        #expect(try KilledStore.count(KilledStore.open(killed), KilledStore.kept) == 1)
    }

    /// An opening that fails, at any call, leaves no new file.
    @Test(arguments: [ENOSPC, EDQUOT, EIO])
    func anOpeningThatFailsLeavesNothingBehind(_ number: Int32) throws {
        let killed = try KilledStore()
        let before = Set(killed.disk.paths())
        var calls = 0
        while true {
            let disk = killed.disk.crashClone(.processKill)
            disk.inject(
                FaultRule(
                    on: [.create, .write, .preallocate, .sync, .syncDirectory], when: .match(calls + 1),
                    .error(number)))
            let outcome = Result { () throws(StorageError) in try KilledStore.open(disk, .deferred) }
            guard let fault = disk.faultsFired.first else { break }
            calls += 1
            guard case .failure = outcome else { continue }
            // From the replacement of CURRENT on, it is unknown which files are current.
            let mayBeInForce =
                try CurrentFile.read(in: disk.openDirectory("/store", create: false))
                != CurrentFile.read(in: killed.disk.openDirectory("/store", create: false))
            if !mayBeInForce { #expect(Set(disk.paths()).isSubset(of: before), "\(fault.operation)") }
            disk.removeFaultRules()
            #expect(try KilledStore.count(KilledStore.open(disk), KilledStore.kept) == killed.keptCount)
        }
        #expect(calls > 10)
    }

    /// Copy-on-write file systems refuse even a rename. Then the store is served as on any full disk.
    @Test(arguments: [ENOSPC, EDQUOT]) func aRefusedRenameLeavesTheOldManifestInUse(_ number: Int32) throws {
        let killed = try KilledStore()
        let disk = killed.disk
        let before = Set(disk.paths())
        disk.inject(FaultRule(on: [.rename], when: .always, repeatsForever: true, .error(number)))
        let engine = try KilledStore.open(disk, .deferred)
        #expect(engine.recovery.isOutOfSpace && disk.faultsFired.count >= 1)
        #expect(Set(disk.paths()).isSubset(of: before))
        #expect(try KilledStore.count(engine, KilledStore.kept) == killed.keptCount)
        disk.removeFaultRules()
        try engine.purge([try #require(engine.namespace(named: KilledStore.cached)).id])
        try engine.close()
        let again = try KilledStore.open(disk.crashClone(.dropAll))
        #expect(try KilledStore.count(again, KilledStore.kept) == killed.keptCount)
        #expect(try KilledStore.count(again, KilledStore.cached) <= 0)
    }

    /// An old manifest that can't be unlinked is an orphan for the next open.
    @Test func anOldManifestThatStaysIsNoFailure() throws {
        let killed = try KilledStore()
        let disk = killed.disk
        disk.inject(FaultRule(on: [.remove], path: "MANIFEST-*", when: .always, repeatsForever: true, .error(EACCES)))
        let engine = try KilledStore.open(disk)
        #expect(engine.recovery.unremovedFiles == 1)
        try engine.close()
        disk.removeFaultRules()
        let again = try KilledStore.open(disk)
        #expect(again.recovery.unremovedFiles == 0)
        #expect(disk.paths().count { $0.contains("MANIFEST") } == 1)
    }

    /// A file system that keeps no space ahead may refuse the zeros over a torn edit. The store is served all the same,
    /// and the torn edit is removed before the next one.
    @Test func aTornEditStaysForLackOfSpaceUntilTheNextEdit() throws {
        let killed = try KilledStore()
        let disk = killed.disk
        disk.model.reservation = .unsupported
        let manifest = try #require(disk.paths().first { $0.contains("MANIFEST") })
        let end = try #require(disk.read(manifest)?.lastIndex { $0 != 0 }) + 1
        disk.patch(manifest, at: end, [UInt8](repeating: 0xa5, count: 300))
        disk.inject(
            FaultRule(on: [.create, .write, .truncate, .rename], when: .always, repeatsForever: true, .error(EDQUOT)))
        let engine = try KilledStore.open(disk, .deferred)
        #expect(try KilledStore.count(engine, KilledStore.kept) == killed.keptCount)
        let cache = try #require(engine.namespace(named: KilledStore.cached)).id
        let refusal = #expect(throws: StorageError.self) { try engine.purge([cache]) }
        #expect(refusal?.code == .noSpace && !engine.statistics.isPoisoned)
        disk.removeFaultRules()
        try engine.purge([cache])
        let again = try KilledStore.open(disk.crashClone(.dropAll))
        #expect(try KilledStore.count(again, KilledStore.kept) == killed.keptCount)
        #expect(try KilledStore.count(again, KilledStore.cached) <= 0)
    }

    /// A torn edit after the manifest's end is overwritten before anything is appended.
    @Test func aTornEditIsClearedBeforeTheNextEdit() throws {
        let killed = try KilledStore()
        let manifest = try #require(killed.disk.paths().first { $0.contains("MANIFEST") })
        let bytes = try #require(killed.disk.read(manifest))
        let end = try #require(bytes.lastIndex { $0 != 0 }) + 1
        killed.disk.patch(manifest, at: end, [UInt8](repeating: 0xa5, count: 300))
        killed.fill(killed.disk)
        let engine = try KilledStore.open(killed.disk, .deferred)
        try engine.purge([try #require(engine.namespace(named: KilledStore.cached)).id])
        for kind in CrashKind.all {
            let left = kind.crash(killed.disk, seed: 5)
            killed.fill(left)
            let again = try KilledStore.open(left)
            #expect(try KilledStore.count(again, KilledStore.cached) == 0, "\(kind.name)")
            #expect(try KilledStore.count(again, KilledStore.kept) == killed.keptCount, "\(kind.name)")
        }
    }
}
