import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

/// A store is created in a directory that another process or a failed open has made. The names above it
/// may be unsynced, so the creation syncs them before it writes CURRENT.
@Suite struct NewStoreNameTests {
    @Test func theNamesAboveAreSyncedBeforeThereIsAStore() throws {
        let files = RecordingFileSystem()
        files.disk.write("/home/store/LOCK", [])
        func open() throws -> Engine {
            try Engine.open(
                at: "/home/store", options: TestStore.smallOptions,
                environment: EngineEnvironment(fileSystem: files, random: SeededRandom(seed: 7), scheduling: .inline))
        }
        try open().close()
        #expect(files.synced.withLock { $0 } == ["/home/store, store: false"])
        let engine = try open()
        #expect(files.synced.withLock { $0.count } == 1, "a store that is there is found by its name")
        try engine.checkpoint(at: "/home/copy")
        #expect(files.synced.withLock { $0.last } == "/home/copy, store: false")
        try engine.close()
    }
}

private final class RecordingFileSystem: FileSystem {
    let disk = SimulatedFileSystem(seed: 1)
    let synced = Locked<[String]>([])

    func openDirectory(_ path: String, create: Bool) throws(IOFailure) -> any Directory {
        try disk.openDirectory(path, create: create)
    }

    func syncNames(above path: String) {
        let isStore = disk.read(path + "/CURRENT") != nil
        synced.withLock { $0.append("\(path), store: \(isStore)") }
    }
}

/// A synced write survives a power loss even if the maker of the store's directory never synced its name.
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
