import ShaleBase
import ShalePlatform
import ShaleSimulation
import Testing

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
        #expect(!hasDirectory(files), "its parent's own name is nobody's")
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

    @Test func whatSomebodyElseHasMadeIsLostWithAllItsContent() throws {
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
