import ShaleBase
import ShalePlatform
import ShaleSimulation
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The effect of a crash on names.
@Suite struct CrashNameTests {
    private let fileSystem = SimulatedFileSystem()
    private let directory: any Directory

    init() throws { directory = try fileSystem.openDirectory("s", create: true) }

    private func names(_ policy: CrashPolicy, _ seed: UInt64 = 0) -> [String] {
        fileSystem.crashClone(policy, seed: seed).paths()
    }

    @Test func aSyncedFileIsLostWithItsUnsyncedName() throws {
        try directory.make("f", "x", synced: true)
        #expect(names(.dropAll) == [])
        #expect(names(.namesOnly) == ["/s/f"])
        try directory.sync()
        #expect(names(.dropAll) == ["/s/f"])
    }

    @Test func aDurableNameOfAnUnsyncedFileHasNoContent() throws {
        try directory.make("f", "x")
        try directory.sync()
        #expect(fileSystem.crashClone(.dropAll).read("s/f") == [])
        #expect(fileSystem.crashClone(.dataOnly).read("s/f") == [UInt8(ascii: "x")])
    }

    @Test func aRemovedFileComesBackUntilTheDirectoryIsSynced() throws {
        try directory.make("f", "x", synced: true)
        try directory.sync()
        try directory.remove("f")
        #expect(fileSystem.crashClone(.dropAll).read("s/f") == [UInt8(ascii: "x")])
        try directory.sync()
        #expect(names(.dropAll) == [])
    }

    @Test func anUnsyncedRenameShowsTheOldTargetOrTheNewOneNeverNeither() throws {
        try directory.make("CURRENT", "old", synced: true)
        try directory.sync()
        try directory.make("tmp", "new", synced: true)
        try directory.rename("tmp", to: "CURRENT", in: directory)
        for policy in [CrashPolicy.random, .randomPrefix, .hostile] {
            let seen = (0..<100).map { fileSystem.crashClone(policy, seed: $0).read("s/CURRENT") }
            #expect(Set(seen) == [Array("old".utf8), Array("new".utf8)])
        }
        try directory.sync()
        #expect(fileSystem.crashClone(.dropAll).read("s/CURRENT") == Array("new".utf8))
    }

    @Test func aRenameIsAtomicUnlessThePolicyIsHostile() throws {
        let other = try directory.openDirectory("d", create: true)
        try directory.make("a", "x", synced: true)
        try directory.sync()
        try directory.rename("a", to: "b", in: other)
        #expect(Set((0..<100).map { names(.random, $0) }) == [["/s/a"], ["/s/d/b"]])
        #expect(Set((0..<100).map { names(.hostile, $0) }) == [[], ["/s/a"], ["/s/d/b"], ["/s/a", "/s/d/b"]])
    }

    @Test func syncingOneDirectoryOfARenameDecidesItsHalf() throws {
        let other = try directory.openDirectory("d", create: true)
        try directory.make("a", "x", synced: true)
        try directory.sync()
        try directory.rename("a", to: "b", in: other)
        try other.sync()
        #expect(names(.dropAll) == ["/s/a", "/s/d/b"])
        try other.rename("b", to: "c", in: directory)
        try other.sync()
        // The old name is durably removed, so an atomic rename can't have lost the file.
        let clone = fileSystem.crashClone(.dropAll)
        #expect(clone.read("s/c") == [UInt8(ascii: "x")])
    }

    @Test func linksAreNamesOfOneFileAfterACrashToo() throws {
        try directory.make("a", "x", synced: true)
        try directory.link("a", to: "b", in: directory)
        try directory.sync()
        let clone = fileSystem.crashClone(.dropAll)
        #expect(clone.corrupt("s/a", at: 0, xor: 0x01))
        #expect(clone.read("s/b") == [UInt8(ascii: "y")])
        #expect(clone.usedBytes == 1)
    }

    @Test func anUnsyncedDirectoryTakesItsFilesAlong() throws {
        let inner = try directory.openDirectory("d", create: true)
        try inner.make("f", "x", synced: true)
        try inner.sync()
        #expect(names(.dropAll) == [])
        try directory.sync()
        #expect(names(.dropAll) == ["/s/d/f"])
    }

    @Test func aFailedDirectorySyncLosesItsNames() throws {
        try directory.make("f", "x", synced: true)
        fileSystem.inject(FaultRule(on: [.syncDirectory], when: .always, .error(5)))
        expectFailure(5) { try directory.sync() }
        try directory.sync()
        #expect(names(.keepAll) == [])
        #expect(names(.processKill) == ["/s/f"])
    }

    @Test func oneSeedGivesOneResult() throws {
        for index in 0..<20 { try directory.make("f\(index)", "content \(index)") }
        func state(_ seed: UInt64) -> [[UInt8]?] {
            let clone = fileSystem.crashClone(.hostile, seed: seed)
            return (0..<20).map { clone.read("s/f\($0)") }
        }
        #expect(state(4) == state(4))
        #expect(state(4) != state(5))
    }

    @Test func aCrashFreesLocksAndTheClonesLocksAreItsOwn() throws {
        let held = try directory.lock("LOCK")
        for policy in [CrashPolicy.keepAll, .processKill] {
            let clone = fileSystem.crashClone(policy)
            #expect(clone.openHandles == 0)
            let again = try clone.openDirectory("s", create: false)
            #expect(again.identity != directory.identity)
            try again.lock("LOCK").release()
        }
        expectFailure(EWOULDBLOCK) { _ = try directory.lock("LOCK") }
        held.release()
    }
}

/// A directory that is opened by path has its name in its parent, and this name is as durable as any other.
@Suite struct RootNameTests {
    private func system() -> SimulatedFileSystem {
        var model = SystemModel()
        model.makesDurableRoots = false
        return SimulatedFileSystem(model: model)
    }

    private func hasDirectory(_ files: SimulatedFileSystem, _ policy: CrashPolicy = .dropAll) -> Bool {
        (try? files.crashClone(policy).openDirectory("home/store", create: false)) != nil
    }

    @Test func openingMakesTheNameDurableInASecondCall() throws {
        let files = system()
        files.makeDirectory("home")
        nonisolated(unsafe) var seen: [String] = []
        files.willPerform = { kind, path in
            unsafe seen.append("\(kind) \(path) \(self.hasDirectory(files)) \(self.hasDirectory(files, .keepAll))")
        }
        _ = try files.openDirectory("home/store", create: true)
        #expect(unsafe seen == ["openDirectory /home/store false false", "syncDirectory /home false true"])
        #expect(!hasDirectory(files), "no sync has covered its parent's own name")
        files.willPerform = nil
        try files.openDirectory("/", create: false).sync()
        #expect(hasDirectory(files))
        #expect(files.openHandlePaths == [])
    }

    @Test func aNameThatCanNotBeMadeDurableIsTakenBack() throws {
        let files = system()
        files.inject(FaultRule(on: [.syncDirectory], when: .match(1), .error(5)))
        expectFailure(5) { _ = try files.openDirectory("home/store", create: true) }
        #expect(!hasDirectory(files, .keepAll))
        _ = try files.openDirectory("home/store", create: true)
        #expect(hasDirectory(files))
    }

    @Test func aDirectoryOfAnotherProgramIsLostWithAllItsContent() throws {
        let files = system()
        files.makeDirectory("home/store")
        let directory = try files.openDirectory("home/store", create: true)
        try directory.make("f", "x", synced: true)
        try directory.sync()
        #expect(files.crashClone(.dropAll).paths() == [])
        try files.syncNames(above: "home/store")
        #expect(files.crashClone(.dropAll).paths() == ["/home/store/f"])
        #expect(files.openHandlePaths == ["/home/store"])
        withExtendedLifetime(directory) {}
    }
}
