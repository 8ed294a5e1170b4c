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

/// The loss of the current log's file is detected, although no other log names it and nothing of
/// it has been flushed.
@Suite struct NewestLogTests {
    /// Returns a store with delayed flushes whose memtable was rotated, with a synced write in the new log.
    private func rotated(_ scheduling: EngineEnvironment.Scheduling) throws -> TestStore {
        let store = try TestStore(scheduling: scheduling)
        let ns = try store.namespace("n")
        let first = store.engine.core.viewCell.retained().logs[0]
        var number = 0
        while store.engine.core.viewCell.retained().logs[0] == first {
            number += 1
            try store.put("key\(number)", String(repeating: "v", count: 1000), in: ns)
        }
        try store.put("last", "value", in: ns, durability: .synced)
        return store
    }

    /// Returns the error of opening a store after a power loss, without the newest log that was written to.
    private func codeWithoutNewestLog(_ store: TestStore) throws -> (StorageError.Code?, file: Bool) {
        let number = store.engine.core.viewCell.retained().logs[0]
        let disk = store.files.crashClone(.dropAll)
        let name = StoreLayout.log(number)
        let path = try #require(disk.paths().first { $0.hasSuffix(name) })
        #expect(throws: Never.self) { _ = try TestStore.open(disk.crashClone(.keepAll), store.options) }
        disk.remove(path)
        do {
            _ = try TestStore.open(disk, store.options)
            return (nil, false)
        } catch let error as StorageError {
            return (error.code, error.file.map { path.hasSuffix($0) } == true)
        }
    }

    @Test func theManifestKnowsIt() throws {
        let store = try rotated(.deferred)
        try store.engine.core.recordNewestLog()
        let calls = store.files.operationCount
        try store.engine.core.recordNewestLog()
        #expect(store.files.operationCount == calls, "once is enough")
        let (code, namesFile) = try codeWithoutNewestLog(store)
        #expect(code == .missingLog)
        #expect(namesFile)
    }

    /// A full disk may refuse the edit. Then nothing has happened, and the edit is made once there is
    /// space.
    @Test func aFullDiskPutsItOff() throws {
        let store = try rotated(.deferred)
        let core = store.engine.core
        let ns = try #require(store.engine.namespaces.first).id
        let newest = core.viewCell.retained().logs[0]
        func known() -> UInt64? { core.manifestLock.withLock { core.manifest?.state.newestLog } }
        // Edits take the space reserved for the manifest, the large ones first, until not even the smallest fits.
        store.files.setQuota(store.files.usedBytes)
        for bytes in [4000, 400, 40, 0] {
            let refusal = #expect(throws: StorageError.self) {
                for _ in 0..<600 { try store.engine.setOptions([UInt8](repeating: 7, count: bytes), of: ns) }
            }
            #expect(refusal?.code == .noSpace)
        }
        try core.recordNewestLog()
        #expect(try #require(known()) < newest && !store.engine.statistics.isPoisoned)
        store.files.setQuota(1 << 40)
        try core.recordNewestLog()
        #expect(known() == newest)
        #expect(try codeWithoutNewestLog(store).0 == .missingLog)
    }

    /// Contract D-3 and R-1. `close` flushes the full memtable first and removes its log. The manifest must not name
    /// that log as the newest one.
    @Test func aStoreOpensAfterACrashOfClose() throws {
        let store = try rotated(.deferred)
        let ns = try #require(store.engine.namespaces.first).id
        let crashes = Locked<[SimulatedFileSystem]>([])
        store.files.willPerform = { [files = store.files] _, _ in
            for kind in [.dropAll, .keepAll, .processKill] as [CrashPolicy] {
                let disk = files.crashClone(kind)
                crashes.withLock { $0.append(disk) }
            }
        }
        try store.engine.close()
        store.files.willPerform = nil
        let disks = crashes.withLock { $0 }
        #expect(disks.count > 30)
        for disk in disks {
            let engine = try TestStore.open(disk, store.options)
            #expect(try engine.value(forKey: Array("last".utf8), in: ns) == Array("value".utf8))
            try engine.close()
        }
    }

    @Test func anEditThatFailsPoisons() throws {
        let store = try rotated(.deferred)
        store.files.inject(FaultRule(on: [.sync], path: "MANIFEST-*", when: .match(1), .error(5)))
        #expect(throws: StorageError.self) { try store.engine.core.recordNewestLog() }
        #expect(store.engine.statistics.isPoisoned)
    }

    /// The thread that prepares spare logs writes the edit soon after a rotation, without delaying a caller.
    @Test func aThreadSeesToIt() throws {
        let store = try rotated(.threads)
        let core = store.engine.core
        let isKnown = eventually {
            core.manifestLock.withLock { core.manifest?.state.newestLog } == core.viewCell.retained().logs[0]
        }
        #expect(isKnown, "\(store.engine.statistics)")
        #expect(try codeWithoutNewestLog(store).0 == .missingLog)
        try store.engine.close()
    }
}

@Suite struct BrokenChainTests {
    /// Nothing was synced, and the older of two logs lacks its last record after a power loss. The records of the newer
    /// log are dropped then.
    @Test func theReportCountsTheRecordsBehindALostEnd() throws {
        let store = try TestStore(scheduling: .deferred)
        let ns = try store.namespace("n")
        let first = store.engine.core.viewCell.retained().logs[0]
        while store.engine.core.viewCell.retained().logs[0] == first {
            try store.put("key", String(repeating: "v", count: 1000), in: ns)
        }
        try store.put("last", String(repeating: "v", count: 2000), in: ns)
        let disk = store.files.crashClone(.processKill)
        let path = try #require(disk.paths().first { $0.hasSuffix(StoreLayout.log(first)) })
        let bytes = try #require(disk.read(path))
        let lost = try #require(LogImage(bytes).chunks.last)
        disk.write(path, Array(bytes[..<lost.range.lowerBound]))
        let engine = try TestStore.open(disk, store.options)
        #expect(try engine.value(forKey: Array("last".utf8), in: ns) == nil)
        // The first record of the newer log caused the rotation.
        #expect(3000..<3200 ~= engine.recovery.droppedBytes)
    }
}

@Suite struct FailedRotationTests {
    /// The file that a failed rotation leaves is no link in the chain of logs.
    @Test(arguments: [OperationKind.write, .preallocate, .syncDirectory])
    func aRotationThatFailedBreaksNoChain(_ kind: OperationKind) throws {
        let run = ScriptRun(CrashScript("failed rotation", []))
        var progress = CrashProgress()
        try run.open()
        func perform(_ step: CrashStep, _ index: Int, attempts: Int = 1) throws(StorageError) -> Int {
            progress.begin(step, index: index)
            var failures = 0
            while true {
                do throws(StorageError) {
                    try run.perform(step, index)
                    progress.end(step)
                    return failures
                } catch {
                    failures += 1
                    if failures == attempts { throw error }
                }
            }
        }
        _ = try perform(.create("a"), 0)
        for i in 1...10 { _ = try perform(.put("a", i, bytes: 5000), i) }
        // From here on the first new log can't be created, its file can't be removed, and nothing can be flushed.
        let present = Set(run.files.paths())
        let new = PathPattern.predicate { $0.contains("/wal") && !present.contains($0) }
        run.files.inject(FaultRule(on: [kind], path: new, when: .match(1), .error(EIO)))
        run.files.inject(FaultRule(on: [.remove], path: new, when: .match(1), .error(EIO)))
        run.files.inject(FaultRule(on: [.create], path: "*.seg", when: .always, repeatsForever: true, .error(EIO)))
        var failures = 0
        for i in 11...16 { failures += try perform(.put("a", i % 7, bytes: 5000), i, attempts: 3) }
        #expect(failures == 2, "the rotation, and the flush after the one that succeeded")
        let checker = CrashChecker()
        let killed = run.files.crashClone(.processKill)
        #expect(killed.paths().count { $0.contains("/wal/") } == 3)
        checker.check(killed, progress, floor: progress.acknowledged, thoroughly: true, "killed")
        _ = try perform(.sync, 17)
        checker.check(run.files.crashClone(.dropAll), progress, floor: progress.durable, thoroughly: true, "power loss")
    }
}
