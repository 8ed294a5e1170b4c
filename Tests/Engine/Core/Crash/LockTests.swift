import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

/// Contract M-1.
@Suite struct LockTests {
    @Test func aSecondOpenerIsRefusedAndChangesNothing() throws {
        let store = try TestStore()
        let ns = try store.namespace("n")
        try store.put("key", "value", in: ns)
        let before = store.files.contents
        for mode in [EngineOptions.Mode.createIfMissing, .openExisting] {
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
        for mode in [EngineOptions.Mode.openExisting, .readOnly] {
            var options = ScriptRun.options
            options.mode = mode
            let error = #expect(throws: StorageError.self) { _ = try ScriptRun.open(files, options) }
            #expect(error?.code == .missing)
            #expect(files.contents == before)
        }
    }
}
