import ShaleBase
import ShalePlatform
import ShaleSimulation
import Testing

@testable import ShaleEngine

@Suite struct FullDiskTests {
    /// Writes fail with `.noSpace` and succeed again once there is space, without reopening. Reads and purges never
    /// stop.
    @Test(arguments: [false, true])
    func aFullDiskStopsWritingUntilThereIsSpace(isQuota: Bool) throws {
        let store = try TestStore(SimulatedFileSystem(seed: 1, quota: 3 << 20))
        let ns = try store.namespace("n")
        var written = 0
        // A user's quota can be exhausted while the disk reports free space.
        func limit(_ bytes: Int) { isQuota ? store.files.setUserQuota(bytes) : store.files.setQuota(bytes) }
        // Letters that compress badly: the writes have to fill the disk.
        let random = SeededRandom(seed: 1)
        func letters() -> String {
            String((0..<900).map { _ in Character(Unicode.Scalar(UInt8(97 + random.below(26)))) })
        }
        func fill() throws -> StorageError? {
            for _ in 0..<4000 {
                do {
                    try store.put(
                        "key\(written)", letters() + "\(written)", in: ns,
                        options: PutOptions(isPurgeable: true))
                    written += 1
                } catch {
                    return try #require(error as? StorageError)
                }
            }
            return nil
        }
        for round in 0..<4 {
            limit(store.files.usedBytes + (200 << 10))
            let error = try #require(try fill(), "the disk never gets full")
            #expect(error.code == .noSpace, "\(error)")
            #expect(!store.engine.statistics.isPoisoned)
            #expect(try store.scan(ns).count == written)
            #expect(try store.get("key0", in: ns) != nil)
            limit(1 << 40)
            #expect(try store.files.crashClone(.processKill).opens(with: written), "round \(round)")
        }
        limit(store.files.usedBytes)
        try store.engine.purge([ns])
        #expect(try store.scan(ns).isEmpty)
        let after = store.files.crashClone(.dropAll)
        isQuota ? after.setUserQuota(nil) : after.setQuota(1 << 40)
        #expect(try after.opens(with: 0))
        limit(1 << 40)
        try store.put("key", "value", in: ns)
        try store.engine.close()
    }

    /// A disk of a few MiB also has a reserve, and releases it for a purge.
    @Test func aSmallDiskHasAReserve() throws {
        let store = try TestStore(SimulatedFileSystem(seed: 1, quota: 16 << 20))
        func hasReserve() -> Bool { store.files.paths().contains { $0.hasSuffix("RESERVE") } }
        let ns = try store.namespace("n")
        try store.put("key", "value", in: ns, options: PutOptions(isPurgeable: true))
        try store.engine.core.maintain()
        #expect(hasReserve())
        store.files.setQuota(store.files.usedBytes)
        try store.engine.purge([ns])
        #expect(!hasReserve())
        #expect(try store.scan(ns).isEmpty)
        // Little space is left for the manifest; with 9 MiB more the reserve returns.
        store.files.setQuota(store.files.usedBytes + (7 << 20))
        try store.engine.core.maintain()
        #expect(!hasReserve())
        store.files.setQuota(store.files.usedBytes + (9 << 20))
        try store.engine.core.maintain()
        #expect(hasReserve())
        try store.engine.close()
    }

    /// A log's space is reserved before anything is written to it. Without space the write is refused, with no other
    /// effect.
    @Test(arguments: [true, false])
    func aLogThatFindsNoSpacePoisonsNothing(mapsLogs: Bool) throws {
        let files = SimulatedFileSystem(seed: 1)
        files.mapsFiles = mapsLogs
        // The log is reserved in steps.
        let store = try TestStore(files) {
            $0.memtableBytes = 16 << 20
            $0.memoryBudget = 64 << 20
        }
        let ns = try store.namespace("n")
        files.setQuota(files.usedBytes)
        let value = String(repeating: "x", count: 30_000)
        var written = 0
        var refusal: StorageError?
        while refusal == nil, written < 400 {
            do {
                try store.put("key\(written)", value, in: ns)
                written += 1
            } catch {
                refusal = try #require(error as? StorageError)
            }
        }
        #expect(refusal?.code == .noSpace)
        #expect(!store.engine.statistics.isPoisoned)
        #expect(try store.scan(ns).count == written)
        files.setQuota(1 << 40)
        try store.put("key\(written)", value, in: ns)
        #expect(try files.crashClone(.processKill).opens(with: written + 1))
    }

    /// Without other space, the manifest's edits use the reserve: 1 MiB of edits of any kind.
    @Test func theReserveCarriesManyEdits() throws {
        let store = try TestStore()
        let ns = try store.namespace("n")
        let engine = store.engine
        try engine.core.maintain()
        store.files.setQuota(store.files.usedBytes)
        for round in 0..<200 {
            try engine.setOptions([UInt8](repeating: UInt8(round), count: 4000), of: ns)
        }
        store.files.setQuota(1 << 40)
        try store.put("key", "value", in: ns)
        #expect(try store.files.crashClone(.processKill).opens(with: 1))
    }
}

extension SimulatedFileSystem {
    /// Returns true if the store opens and its only namespace has `count` entries.
    fileprivate func opens(with count: Int) throws -> Bool {
        let engine = try TestStore.open(self, ScriptRun.options)
        let id = try #require(engine.namespaces.first).id
        return try engine.entries(in: id).count == count
    }
}
