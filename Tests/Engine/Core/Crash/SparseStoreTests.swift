import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

/// A store with a file of terabytes that is one hole opens correctly or fails with a typed error,
/// after few reads.
@Suite struct SparseStoreTests {
    private static let size = 4 << 40
    /// The maximum of reads, each of at most 1 MiB. A store that continues gets an error, so that the test ends.
    private static let readsMax = 2_000

    /// Returns the disk of a killed process, with a hole appended to one of its files.
    private func open(
        _ suffix: String, content: Bool
    ) throws -> (SimulatedFileSystem, Result<Int, StorageError>, flushed: Int) {
        let store = try TestStore()
        let ns = try store.namespace("n")
        for i in 0..<40 { try store.put("key\(i)", String(repeating: "v", count: 2500), in: ns) }
        let flushed = store.engine.statistics.levels.reduce(0) { $0 + Int($1.entries) }
        let files = store.files.crashClone(.processKill)
        let path = try #require(files.paths().last { $0.hasSuffix(suffix) || $0.contains(suffix) })
        let bytes = content ? try #require(files.read(path)) : []
        files.writeSparse(path, bytes, size: SparseStoreTests.size)
        files.inject(
            FaultRule(on: [.read], when: .match(SparseStoreTests.readsMax), repeatsForever: true, .error(999)))
        do throws(StorageError) {
            let engine = try ScriptRun.open(files)
            var count = 0
            for namespace in engine.namespaces { count += try engine.entries(in: namespace.id).count }
            try engine.close()
            return (files, .success(count), flushed)
        } catch {
            return (files, .failure(error), flushed)
        }
    }

    /// A newest log that is a hole from its first byte counts as one that never began ("What can't be noticed");
    /// flushed entries are there.
    @Test(arguments: ["/CURRENT", "/LOCK", ".seg", "/MANIFEST", ".wal"])
    func aHoleOfTerabytesIsNoticedOrPassed(_ suffix: String) throws {
        for content in [true, false] {
            let (files, outcome, flushed) = try open(suffix, content: content)
            #expect(files.faultsFired.isEmpty, "\(suffix): too many reads")
            switch outcome {
            case .success(let count):
                let isLogLost = suffix == ".wal" && !content
                #expect(count == (isLogLost ? flushed : 40), "\(suffix)")
            case .failure(let error):
                #expect([.corruption, .missing, .missingLog].contains(error.code), "\(suffix): \(error)")
            }
        }
    }
}
