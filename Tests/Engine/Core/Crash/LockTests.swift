import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

@Suite struct LockTests {
    @Test func aSecondOpenerIsRefusedAndChangesNothing() throws {
        let store = try TestStore()
        let ns = try store.namespace("n")
        try store.put("key", "value", in: ns)
        let before = store.files.contents
        for mode in [Engine.Options.Mode.createIfMissing, .openExisting] {
            for path in ["/store", "store", "//store/"] {
                var options = store.options
                options.mode = mode
                let error = #expect(throws: StorageError.self) {
                    _ = try Engine.open(
                        at: path, options: options,
                        environment: EngineEnvironment(
                            fileSystem: store.files, random: SeededRandom(seed: 7), scheduling: .inline))
                }
                #expect(error?.code == .locked)
            }
        }
        #expect(store.files.contents == before)
        try store.put("key", "other", in: ns)
        #expect(try store.get("key", in: ns) == "other")
    }

    @Test func theLockGoesWithCloseWithTheEngineAndWithTheProcess() throws {
        let files = SimulatedFileSystem(seed: 1)
        let closed = try ScriptRun.open(files)
        try closed.close()
        var dropped: Engine? = try ScriptRun.open(files)
        withExtendedLifetime(dropped) {}
        dropped = nil
        let alive = try ScriptRun.open(files)
        _ = try ScriptRun.open(files.crashClone(.processKill))
        try alive.close()
        withExtendedLifetime(closed) {}
    }

    @Test func openingWhatIsNotThereMakesNothing() throws {
        let files = SimulatedFileSystem(seed: 1)
        files.write("/store/notes.txt", [1, 2, 3])
        let before = files.contents
        for mode in [Engine.Options.Mode.openExisting, .readOnly] {
            var options = ScriptRun.options
            options.mode = mode
            let error = #expect(throws: StorageError.self) { _ = try ScriptRun.open(files, options) }
            #expect(error?.code == .missing)
            #expect(files.contents == before)
        }
    }
}

/// An open that fails changes nothing, including LOCK's text.
@Suite struct LockTextTests {
    private func open(
        _ files: SimulatedFileSystem, _ check: (@Sendable ([NamespaceDescription]) throws(StorageError) -> Void)? = nil
    ) throws -> Engine {
        var environment = EngineEnvironment(
            fileSystem: files, random: SeededRandom(seed: 7), scheduling: .deferred)
        environment.checkCatalogue = check
        return try Engine.open(at: "/store", options: TestStore.smallOptions, environment: environment)
    }

    private func disk() throws -> SimulatedFileSystem {
        let files = SimulatedFileSystem(seed: 1)
        let engine = try open(files)
        _ = try engine.createNamespace(named: [1])
        let disk = files.crashClone(.processKill)
        disk.write("/store/LOCK", Array("pid=1\n".utf8))
        return disk
    }

    @Test func aWrongKeyLeavesTheText() throws {
        let disk = try disk()
        let before = disk.contents
        let error = #expect(throws: StorageError.self) {
            _ = try open(disk) { (_) throws(StorageError) in throw StorageError(.wrongKey, "not this one") }
        }
        #expect(error?.code == .wrongKey)
        #expect(disk.contents == before)
    }

    @Test func damageLeavesTheText() throws {
        let disk = try disk()
        disk.corrupt("/store/CURRENT", at: 20, xor: 1)
        let before = disk.contents
        #expect(throws: StorageError.self) { _ = try open(disk) }
        #expect(disk.contents == before)
    }

    @Test func anOpenThatSucceedsNamesTheHolder() throws {
        let disk = try disk()
        let engine = try open(disk)
        let root = try disk.openDirectory("/store", create: false)
        let holder = try #require(root.lockHolder("LOCK"))
        #expect(holder != "pid=1" && holder.hasPrefix("pid="))
        try engine.close()
    }
}
