import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSimulation
import Testing

@testable import ShaleEngine

/// Contract: the file of the log that is being written can't get lost unnoticed, although no other log names it and
/// nothing of it has been flushed.
@Suite struct NewestLogTests {
    /// A store behind slow flushes whose memtable was rotated, with a synced write in the new log.
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

    /// The error of opening what a power loss leaves without the newest log that was written to.
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

    /// The thread that makes spares does it, soon after a rotation and on nobody's time.
    @Test func aThreadSeesToIt() throws {
        let store = try rotated(.threads)
        let core = store.engine.core
        for _ in 0..<20_000 {
            let known = core.manifestLock.withLock { core.manifest?.state.newestLog }
            if known == core.viewCell.retained().logs[0] { break }
            sleepNanoseconds(1_000_000)
        }
        let known = core.manifestLock.withLock { core.manifest?.state.newestLog }
        #expect(known == core.viewCell.retained().logs[0], "\(store.engine.statistics)")
        #expect(try codeWithoutNewestLog(store).0 == .missingLog)
        try store.engine.close()
    }
}
