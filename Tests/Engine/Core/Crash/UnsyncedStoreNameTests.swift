import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

/// Contract D-2: a synced write survives a power loss even if the maker of the store's directory never synced its name.
@Suite struct UnsyncedStoreNameTests {
    private func system() -> SimulatedFileSystem {
        var model = SystemModel()
        model.makesDurableRoots = false
        return SimulatedFileSystem(seed: 1, model: model)
    }

    private func check(_ files: SimulatedFileSystem) throws {
        let store = try TestStore(files)
        let ns = try store.namespace("n")
        try store.put("key", "value", in: ns, durability: .synced)
        let after = try TestStore(files.crashClone(.dropAll))
        let found = try #require(after.engine.namespaces.first, "the store is gone")
        #expect(try after.get("key", in: found.id) == "value")
    }

    @Test func aDirectoryMadeByAnotherProgramSurvives() throws {
        let files = system()
        files.makeDirectory("/store")
        try check(files)
    }

    @Test func aDirectoryWhoseMakerWasKilledBeforeTheSyncSurvives() throws {
        let files = system()
        nonisolated(unsafe) var left: SimulatedFileSystem?
        files.willPerform = { kind, path in
            if kind == .syncDirectory, path == "/" { unsafe left = files.crashClone(.processKill) }
        }
        try TestStore(files).engine.close()
        files.willPerform = nil
        let killed = unsafe left
        try check(try #require(killed))
    }
}
