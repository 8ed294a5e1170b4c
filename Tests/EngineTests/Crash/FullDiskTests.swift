import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

@Suite struct FullDiskTests {
    /// Writing fails with `.noSpace` and goes on when there is space, without reopening; reading never stops, nor purging.
    @Test func aFullDiskStopsWritingUntilThereIsSpace() throws {
        let store = try TestStore(SimulatedFileSystem(seed: 1, quota: 3 << 20))
        let ns = try store.namespace("n")
        var written = 0
        // Letters that don't compress to nothing: what is written has to fill the disk.
        let random = SeededRandom(seed: 1)
        func letters() -> String {
            String((0..<900).map { _ in Character(Unicode.Scalar(UInt8(97 + random.below(26)))) })
        }
        func fill() throws -> StorageError? {
            for _ in 0..<4000 {
                do {
                    try store.put(
                        "key\(written)", letters() + "\(written)", in: ns,
                        PutOptions(isPurgeable: true))
                    written += 1
                } catch {
                    return try #require(error as? StorageError)
                }
            }
            return nil
        }
        for round in 0..<4 {
            store.files.setQuota(store.files.usedBytes + (200 << 10))
            let error = try #require(try fill(), "the disk never gets full")
            #expect(error.code == .noSpace, "\(error)")
            #expect(!store.engine.statistics.isPoisoned)
            #expect(try store.scan(ns).count == written)
            #expect(try store.get("key0", in: ns) != nil)
            store.files.setQuota(1 << 40)
            #expect(try store.files.crashClone(.processKill).opens(with: written), "round \(round)")
        }
        store.files.setQuota(store.files.usedBytes)
        try store.engine.purge([ns])
        #expect(try store.scan(ns).isEmpty)
        let after = store.files.crashClone(.dropAll)
        after.setQuota(1 << 40)
        #expect(try after.opens(with: 0))
        store.files.setQuota(1 << 40)
        try store.put("key", "value", in: ns)
        try store.engine.close()
    }
}

extension SimulatedFileSystem {
    /// Whether the store opens and its only namespace has `count` entries.
    fileprivate func opens(with count: Int) throws -> Bool {
        let engine = try TestStore.open(self, ScriptRun.options)
        let id = try #require(engine.namespaces.first).id
        return try engine.entries(in: id).count == count
    }
}
