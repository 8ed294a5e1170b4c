import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

/// Logs so long that recovery reads them ahead of inserting, and flushes their content in two parallel parts.
@Suite struct LargeLogTests {
    private static var options: Engine.Options {
        var options = Engine.Options()
        options.memtableBytes = 24 << 20
        options.compactionThreads = 1
        options.syncInterval = nil
        return options
    }

    /// Returns a store whose process was killed with 12 MB in its write buffer, and the buffer's content.
    private func killed() throws -> (SimulatedFileSystem, NamespaceID, [(key: [UInt8], value: [UInt8])]) {
        let store = try TestStore(scheduling: .threads) { $0 = LargeLogTests.options }
        let namespace = try store.namespace("n")
        let random = SeededRandom(seed: 9)
        for round in 0..<9000 {
            let key = "key\(random.below(6000))"
            if round % 11 == 3 {
                try store.delete(key, in: namespace)
            } else if round % 500 == 7 {
                var batch = WriteBatch()
                for _ in 0..<40 {
                    let key = Array("batch\(random.below(3000))".utf8)
                    let value = random.bytes(3000)
                    try unsafe batch.put(value.span.bytes, forKey: key.span.bytes, in: namespace, options: PutOptions())
                }
                try store.engine.write(batch)
            } else {
                try store.put(key, String(repeating: "v\(round)", count: 200), in: namespace)
            }
        }
        let entries = try store.engine.entries(in: namespace).map { (key: $0.key, value: $0.value) }
        return (store.files.crashClone(.processKill, seed: 3), namespace, entries)
    }

    private func expect(
        _ engine: Engine, _ namespace: NamespaceID, _ entries: [(key: [UInt8], value: [UInt8])]
    ) throws {
        let found = try engine.entries(in: namespace)
        #expect(found.map(\.key) == entries.map(\.key))
        #expect(found.map(\.value) == entries.map(\.value))
        #expect(try engine.verify().problems.isEmpty)
    }

    @Test func itComesBackWholeAndStays() throws {
        let (disk, namespace, entries) = try killed()
        let logs = disk.paths().filter { $0.contains("/wal/") }
        let engine = try TestStore.open(disk, LargeLogTests.options, .threads)
        #expect(engine.recovery.replayedBatches == 9000)
        #expect(engine.recovery.removedFiles >= logs.count)
        #expect(engine.statistics.levels[0].segments == 2, "one for each half")
        try expect(engine, namespace, entries)
        // The shown entries are durable, and no log contains any of them.
        let again = try TestStore.open(disk.crashClone(.dropAll), LargeLogTests.options)
        #expect(again.recovery.replayedBatches == 0)
        try expect(again, namespace, entries)
        let areGone = eventually { !disk.paths().contains { logs.contains($0) } }
        #expect(areGone, "logs that nothing needs go in the background")
        try engine.close()
    }

    /// An error of the reading thread ends the open, and nothing has changed.
    @Test func damageFarInsideEndsTheOpen() throws {
        let (disk, _, _) = try killed()
        let size = { (path: String) in disk.read(path)?.count ?? 0 }
        let log = try #require(disk.paths().filter { $0.contains("/wal/") }.max { size($0) < size($1) })
        disk.inject(FaultRule(on: [.read], path: .predicate { $0 == log }, when: .match(9), .error(5)))
        let before = disk.contents
        let error = #expect(throws: StorageError.self) {
            _ = try TestStore.open(disk, LargeLogTests.options, .threads)
        }
        #expect(error?.code == .ioFailure)
        #expect(error?.file.map { log.hasSuffix($0) } == true)
        #expect(disk.contents == before)
    }
}
