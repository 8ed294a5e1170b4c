import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

/// Contract R-2, S-7: an open that fails changes nothing, including LOCK's text.
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
