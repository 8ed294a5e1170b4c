import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleMaintenance

@Suite struct CopyTests {
    private func copy(
        _ files: SimulatedFileSystem, _ time: ManualTime, _ largeValueBytes: Int
    ) throws -> CopyReport {
        var options = StoreScript.options(time)
        options.largeValueBytes = largeValueBytes
        return try Maintenance.copy(
            storeAt: StoreScript.path, into: "/new", options: options,
            environment: EngineEnvironment(fileSystem: files, scheduling: .inline))
    }

    /// The copy has value files if its options say so, whether or not the source has some.
    @Test(arguments: [0, 64]) func copiesShowTheSame(largeValueBytes: Int) throws {
        for seed in 1...4 as ClosedRange<UInt64> {
            let store = try PopulatedStore(seed: Ring.seed &* 91 &+ seed, operations: 800)
            let files = store.files.crashClone(.processKill)
            let report = try copy(files, store.time, largeValueBytes)
            #expect(try PopulatedStore.content(of: files, at: "/new", store.time) == store.content)
            #expect(report.entries == UInt64(store.content.values.reduce(0) { $0 + $1.count }))
            let values = files.paths().filter { $0.hasPrefix("/new/") && $0.hasSuffix(".val") }
            #expect(values.isEmpty == (largeValueBytes == 0))
            let stored = files.paths().filter { $0.hasPrefix("/new/segments/") }.map { files.read($0)?.count ?? 0 }
            #expect(report.storedBytes == UInt64(stored.reduce(0, +)))
            let verification = try Maintenance.verify(
                storeAt: "/new", engine: StoreScript.options(store.time),
                environment: EngineEnvironment(fileSystem: files, scheduling: .inline))
            #expect(verification.problems.isEmpty)
        }
    }

    /// After a crash at any call, the target is either no store or the whole copy.
    @Test(arguments: [0, 64]) func aCopyMayBeKilledAtAnyCall(largeValueBytes: Int) throws {
        let store = try PopulatedStore(seed: Ring.seed &* 91 &+ 9, operations: 300)
        let files = store.files.crashClone(.processKill)
        let random = SeededRandom(seed: Ring.seed)
        var crashed: [SimulatedFileSystem] = []
        files.willPerform = { _, _ in
            crashed.append(files.crashClone(.processKill))
            crashed.append(files.crashClone(.drawn(random), seed: random.next()))
        }
        _ = try copy(files, store.time, largeValueBytes)
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
