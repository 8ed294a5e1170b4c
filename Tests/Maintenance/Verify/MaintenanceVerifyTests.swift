import ShaleBase
import ShaleEngine
import ShaleManifest
import ShalePlatform
import ShaleSegment
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleMaintenance

@Suite struct MaintenanceVerifyTests {
    private func verify(_ files: SimulatedFileSystem, _ time: ManualTime) throws -> StoreVerification {
        try Maintenance.verify(
            storeAt: StoreScript.path, engine: StoreScript.options(time),
            environment: EngineEnvironment(fileSystem: files, scheduling: .inline))
    }

    /// `verify` names every lost block, not only the first one of each file.
    @Test func everyDamagedPlaceIsNamed() throws {
        let store = try PopulatedStore(seed: Ring.seed &* 53 &+ 2)
        let files = store.files.crashClone(.processKill)
        #expect(try verify(files, store.time).problems.isEmpty)
        let segment = try largestSegment(of: files, store.time)
        let size = try #require(files.read(segment)?.count)
        files.corrupt(segment, at: 10, xor: 1)
        files.corrupt(segment, at: size / 2, xor: 1)
        let before = files.paths().map { files.read($0) }
        let found = try verify(files, store.time)
        #expect(found.problems.count == 1)
        let places = found.losses.filter { segment.hasSuffix($0.file) }
        #expect(places.count == 2 && places.allSatisfy { $0.keys != nil && ($0.entries ?? 0) > 0 })
        #expect(places.map(\.offset) == places.map(\.offset).sorted())
        #expect(files.paths().map { files.read($0) } == before)
    }

    /// Of those that the manifest names: a killed process leaves others behind.
    private func largestSegment(of files: SimulatedFileSystem, _ time: ManualTime) throws -> String {
        let engine = try PopulatedStore.open(files, at: StoreScript.path, time)
        let segments = try engine.freeze().state.version.levels.flatMap { $0.segments.map(\.metadata) }
        try engine.close()
        let largest = try #require(segments.max { $0.fileBytes < $1.fileBytes })
        return StoreScript.path + "/segments/" + largest.fileName
    }

    @Test func aStoreThatCanNotBeOpenedIsExamined() throws {
        let store = try PopulatedStore(seed: Ring.seed &* 53 &+ 2)
        let files = store.files.crashClone(.processKill)
        files.remove(StoreScript.path + "/CURRENT")
        let found = try verify(files, store.time)
        #expect(found.problems.count == 1)
        #expect(found.losses.map(\.file) == ["CURRENT"] && found.losses[0].entries == 0)
    }
}
