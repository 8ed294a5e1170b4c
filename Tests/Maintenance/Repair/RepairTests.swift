import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleMaintenance

@Suite struct RepairTests {
    private static let stores: [PopulatedStore] = {
        do { return try (1...10).map { try PopulatedStore(seed: Ring.seed &* 100 &+ $0) } } catch {
            preconditionFailure("a store could not be made: \(error)")
        }
    }()

    @Test func soundStoresAreEqual() throws {
        let count = Ring.choose(commit: 50, nightly: 200, release: 500)
        for number in 0..<count {
            let store =
                number < 10
                ? Self.stores[number] : try PopulatedStore(seed: Ring.seed &* 1000 &+ UInt64(number), operations: 300)
            let files = store.files.crashClone(.processKill)
            let report = try repair(files, store)
            #expect(report.losses.isEmpty, "\(report.losses) \(Ring.reproduction)")
            #expect(report.withheldEntries == 0 && report.uncertainEntries == 0)
            let repaired = try PopulatedStore.content(of: files, at: "/new", store.time)
            #expect(repaired == store.content, "store \(store.seed) \(Ring.reproduction)")
        }
        Ring.covered(count, "sound stores repaired")
    }

    @Test(arguments: 0..<4) func damagedStoresGiveNothingThatWasNotThere(part: Int) throws {
        let count = Ring.choose(commit: 125, nightly: 1_250, release: 12_500)
        var placed = 0
        for number in (part * count)..<((part + 1) * count) {
            placed += try DamagedCase(number, Self.stores[number % Self.stores.count]).check()
        }
        #expect(placed > 0)
        Ring.covered(count, "damaged stores repaired", "\(placed) gave entries")
    }

    @discardableResult
    private func repair(
        _ files: SimulatedFileSystem, _ store: PopulatedStore, _ options: RepairOptions = RepairOptions()
    ) throws -> RepairReport {
        try Maintenance.repair(
            storeAt: StoreScript.path, into: "/new", options: options, engine: StoreScript.options(store.time),
            fileSystem: files)
    }
}
