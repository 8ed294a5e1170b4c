import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleMaintenance

@Suite struct CopyTests {
    private func copy(_ files: SimulatedFileSystem, _ time: ManualTime) throws -> CopyReport {
        try Maintenance.copy(
            storeAt: StoreScript.path, into: "/new", options: StoreScript.options(time),
            environment: EngineEnvironment(fileSystem: files, scheduling: .inline))
    }

    @Test func copiesShowTheSame() throws {
        for seed in 1...4 as ClosedRange<UInt64> {
            let store = try PopulatedStore(seed: Ring.seed &* 91 &+ seed, operations: 800)
            let files = store.files.crashClone(.processKill)
            let report = try copy(files, store.time)
            #expect(try PopulatedStore.content(of: files, at: "/new", store.time) == store.content)
            #expect(report.entries == UInt64(store.content.values.reduce(0) { $0 + $1.count }))
        }
    }

    /// After a crash at any call, the target is either no store or the whole copy.
    @Test func aCopyMayBeKilledAtAnyCall() throws {
        let store = try PopulatedStore(seed: Ring.seed &* 91 &+ 9, operations: 300)
        let files = store.files.crashClone(.processKill)
        let random = SeededRandom(seed: Ring.seed)
        var crashed: [SimulatedFileSystem] = []
        files.willPerform = { _, _ in
            crashed.append(files.crashClone(.processKill))
            crashed.append(files.crashClone(.drawn(random), seed: random.next()))
        }
        _ = try copy(files, store.time)
        files.willPerform = nil
        var whole = 0
        for left in crashed {
            guard left.read("/new/CURRENT") != nil else {
                #expect(throws: StorageError.self) { try PopulatedStore.open(left, at: "/new", store.time) }
                continue
            }
            whole += 1
            #expect(try PopulatedStore.content(of: left, at: "/new", store.time) == store.content)
        }
        #expect(whole > 0)
        Ring.covered(crashed.count, "copies killed")
    }
}
