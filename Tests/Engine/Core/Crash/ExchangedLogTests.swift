import ShaleBase
import ShaleEngine
import ShaleManifest
import ShalePlatform
import ShaleSimulation
import Testing

@testable import ShaleEngine

/// Contract: two files of a store are exchanged. Each is intact, but under the wrong name: the open names
/// one of them and changes nothing.
@Suite struct ExchangedLogTests {
    /// Returns a killed store with two logs and a spare, and synced writes in the newest log.
    private func killed() throws -> (disk: SimulatedFileSystem, options: EngineOptions) {
        let store = try TestStore(scheduling: .deferred)
        let ns = try store.namespace("n")
        let core = store.engine.core
        let first = core.viewCell.retained().logs[0]
        var number = 0
        while core.viewCell.retained().logs[0] == first {
            number += 1
            try store.put("key\(number)", String(repeating: "v", count: 1000), in: ns)
        }
        try core.recordNewestLog()
        try store.put("last", "value", in: ns, durability: .synced)
        try core.keepLogSpace(.slow)
        return (store.files.crashClone(.processKill), store.options)
    }

    @Test func everyExchangedPairOfLogsAndManifestsIsNamed() throws {
        let (healthy, options) = try killed()
        let paths = healthy.paths().filter { $0.hasSuffix(".wal") || $0.contains("MANIFEST") }
        #expect(paths.count == 4)
        for (index, path) in paths.enumerated() {
            for other in paths[..<index] {
                let disk = healthy.crashClone(.keepAll)
                let contents = try (#require(disk.read(path)), #require(disk.read(other)))
                disk.write(path, contents.1)
                disk.write(other, contents.0)
                let before = disk.contents
                let error = #expect(throws: StorageError.self, "\(path) and \(other)") {
                    _ = try TestStore.open(disk, options)
                }
                #expect(error?.code == .corruption, "\(path) and \(other): \(String(describing: error))")
                let file = try #require(error?.file)
                #expect(path.hasSuffix(file) || other.hasSuffix(file), "\(file)")
                #expect(disk.contents.filter { $0.key != "/store/LOCK" } == before.filter { $0.key != "/store/LOCK" })
            }
        }
    }
}
