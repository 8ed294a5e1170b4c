import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSegment
import ShaleSimulation
import Testing

@testable import ShaleEngine

/// A directory has a name that the store gives to files. If the store needs that file, the open reports
/// damage and names it. Otherwise the store ignores the directory.
@Suite struct MisplacedDirectoryTests {
    /// Returns a killed store with one segment, something to replay, and a directory at `path`.
    private func disk(_ path: (EngineCore) -> String) throws -> (SimulatedFileSystem, String) {
        let store = try TestStore(scheduling: .deferred)
        let ns = try store.namespace("n")
        try store.put("flushed", "value", in: ns)
        try store.engine.flush()
        try store.put("logged", "value", in: ns, durability: .synced)
        let path = path(store.engine.core)
        let disk = store.files.crashClone(.processKill)
        disk.remove("/store/" + path)
        _ = try disk.openDirectory("/store/" + path, create: true)
        return (disk, path)
    }

    @Test func orphansAreLeftAlone() throws {
        let names = [
            "segments/0000000999.seg", "segments/0000000001.seg", "MANIFEST-0000000999", "MANIFEST-0000000002",
            "wal/0000000001.wal", "wal/0000000999.wal", "RESERVE", "STATISTICS",
        ]
        for name in names {
            let (disk, _) = try disk { _ in name }
            for scheduling in [EngineEnvironment.Scheduling.inline, .threads] {
                let engine = try TestStore.open(disk, TestStore.smallOptions, scheduling)
                let ns = try #require(engine.namespaces.first).id
                #expect(try engine.entries(in: ns).count == 2, "\(name)")
                _ = try engine.createNamespace(named: Array("\(scheduling)".utf8))
                try engine.close()
            }
            _ = try disk.openDirectory("/store/" + name, create: false)
        }
    }

    @Test func aNeededNameIsDamage() throws {
        let needed: [(EngineCore) -> String] = [
            { _ in "CURRENT" }, { _ in "CURRENT.tmp" }, { _ in "LOCK" },
            { core in core.manifestLock.withLock { core.manifest?.fileName ?? "" } },
            { core in "wal/" + StoreLayout.log(core.viewCell.retained().logs[0]) },
            { core in
                let segments = core.viewCell.retained().version.levels.flatMap(\.segments)
                return "segments/" + StoreLayout.segment(segments.first?.number ?? 0)
            },
        ]
        for path in needed {
            let (disk, path) = try disk(path)
            let error = #expect(throws: StorageError.self, "\(path)") {
                _ = try TestStore.open(disk, TestStore.smallOptions)
            }
            #expect(error?.code == .corruption, "\(path): \(String(describing: error))")
            let file = try #require(error?.file)
            #expect(path.hasSuffix(file) || file.hasSuffix(path), "\(path): \(file)")
        }
    }

    @Test func aFileInThePlaceOfADirectoryIsDamage() throws {
        for name in ["wal", "segments"] {
            let store = try TestStore()
            _ = try store.namespace("n")
            let disk = store.files.crashClone(.processKill)
            for path in disk.paths() where path.hasPrefix("/store/\(name)/") { disk.remove(path) }
            try disk.openDirectory("/store", create: false).removeDirectory(name)
            disk.write("/store/" + name, [1])
            let error = #expect(throws: StorageError.self) { _ = try TestStore.open(disk, store.options) }
            #expect(error?.code == .corruption && error?.file?.hasSuffix(name) == true, "\(String(describing: error))")
        }
    }
}

/// File names may contain any number.
@Suite struct FileNumberTests {
    @Test(arguments: [
        "segments/18446744073709551615.seg", "wal/18446744073709551615.wal", "MANIFEST-9223372036854775808",
    ])
    func aFileWithANumberThatIsNeverGivenIsLeftAlone(_ name: String) throws {
        let store = try TestStore()
        let namespace = try store.namespace("n")
        try store.put("key", "value", in: namespace)
        try store.engine.close()
        store.files.write("/store/" + name, [1, 2, 3])
        let engine = try TestStore.open(store.files, store.options)
        #expect(try engine.entries(in: namespace).count == 1)
        #expect(store.files.read("/store/" + name) == [1, 2, 3])
        try engine.close()
    }
}
