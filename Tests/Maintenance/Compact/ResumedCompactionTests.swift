import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

/// The finished jobs of a compaction stay finished; the next compaction and its estimate take them into account.
@Suite struct ResumedCompactionTests {
    private func open(
        _ files: SimulatedFileSystem, _ codec: Engine.Options.Compression,
        _ scheduling: EngineEnvironment.Scheduling = .inline
    ) throws -> Engine {
        try StoreScript.open(files, ManualTime(), scheduling) {
            $0.lastCompression = codec
            $0.memoryBudget = 128 << 20
            $0.manualCompactionThreads = 3
        }
    }

    private func filled(_ codec: Engine.Options.Compression) throws -> SimulatedFileSystem {
        let files = SimulatedFileSystem(seed: 5)
        files.recordsOperations = false
        let engine = try open(files, codec)
        let random = SeededRandom(seed: Ring.seed)
        let namespace = try engine.createNamespace(named: [1])
        for i in 0..<6000 {
            let key = Array("key \(i * 7919 % 6000)".utf8)
            try unsafe engine.put(random.bytes(100).span.bytes, forKey: key.span.bytes, in: namespace)
        }
        try engine.compact()
        try engine.close()
        return files
    }

    private var recompressing: ManualCompactionOptions {
        var options = ManualCompactionOptions()
        options.recompresses = true
        return options
    }

    /// A compaction that is cancelled repeatedly, each time slightly later, ends with little more work than an
    /// uninterrupted one.
    @Test(arguments: [EngineEnvironment.Scheduling.inline, .threads])
    func cancelledRecompressionContinues(_ scheduling: EngineEnvironment.Scheduling) throws {
        let files = try filled(.zstd(level: 1))
        let whole = try open(files, .zstd(level: 5)).compactionEstimate(options: recompressing).readBytes
        #expect(whole > 500 << 10)
        var left = whole
        var rounds = 0
        while left > 0 {
            let engine = try open(files, .zstd(level: 5), scheduling)
            // Skipped bytes count too. Each round discards at most three unfinished segments.
            let enough = whole - left + (300 << 10)
            do throws(StorageError) {
                try engine.compact(options: recompressing) { step throws(StorageError) in
                    if step.readBytes > enough { throw StorageError(.cancelled, "enough for now") }
                }
            } catch {
                #expect(error.code == .cancelled)
            }
            let rest = try engine.compactionEstimate(options: recompressing).readBytes
            #expect(rest < left, "round \(rounds)")
            left = rest
            rounds += 1
            #expect(try engine.verify().problems.isEmpty)
            try engine.close()
        }
        // The threads may finish everything before the cancelling thread runs.
        if case .inline = scheduling { #expect(rounds >= 2) }
        let engine = try open(files, .zstd(level: 5), scheduling)
        #expect(try engine.compact(options: recompressing).readBytes == 0)
        #expect(try engine.compactionEstimate().readBytes == 0)
        #expect(engine.statistics.levels.last?.entries == 6000)
        try engine.close()
    }

    /// Crashes the file system before calls of a merge in three ranges. The store then shows the same content, and the
    /// compaction continues from there.
    @Test func aCompactionThatIsKilledInRangesIsResumed() throws {
        let files = try filled(.lz4)
        let engine = try open(files, .zstd(level: 1))
        let namespace = try #require(engine.namespaces.first?.id)
        for i in [0, 1000, 3000, 5999] {
            try unsafe engine.put([7].span.bytes, forKey: Array("key \(i)".utf8).span.bytes, in: namespace)
        }
        try engine.flush()
        let content = try PopulatedStore.content(engine)
        try engine.close()
        func compact(_ engine: Engine) throws {
            try engine.compact(options: recompressing)
            #expect(try engine.compactionEstimate(options: recompressing).readBytes == 0)
        }
        let kills = KilledCompaction(
            open: { try open($0, .zstd(level: 1)) }, oneIn: Ring.choose(commit: 40, nightly: 10, release: 5))
        let states = try kills.run(files, showing: content, compact, finish: compact)
        Ring.covered(states, "compactions in ranges killed and finished")
    }

    @Test func levelsAreOnlyToldApartWhenAsked() throws {
        let files = try filled(.zstd(level: 1))
        let engine = try open(files, .zstd(level: 9))
        #expect(try engine.compactionEstimate().readBytes == 0)
        #expect(try engine.compact().readBytes == 0)
        #expect(try engine.compactionEstimate(options: recompressing).readBytes == engine.statistics.storedBytes)
        try engine.close()
        // A segment with blocks of two levels of compression has no level.
        let mixed = try open(files, .zstd(level: 9))
        let namespace = try #require(mixed.namespaces.first?.id)
        try unsafe mixed.put([1, 2, 3].span.bytes, forKey: Array("key 3000".utf8).span.bytes, in: namespace)
        #expect(try mixed.compact().copiedBlocks > 0)
        #expect(try mixed.compactionEstimate(options: recompressing).readBytes == mixed.statistics.storedBytes)
        try mixed.close()
        for level in [1, 9] {
            let copy = files.crashClone(.processKill)
            let engine = try open(copy, .zstd(level: level))
            #expect(try engine.compact(options: recompressing).copiedBlocks == 0)
            #expect(try engine.compactionEstimate(options: recompressing).readBytes == 0)
            try engine.close()
        }
    }

    /// A version that only an old snapshot sees is removed after the end of the snapshot.
    @Test func versionsOfAnOldSnapshotAreRemovedAfterItsEnd() throws {
        let files = try filled(.lz4)
        let engine = try open(files, .lz4)
        let namespace = try #require(engine.namespaces.first?.id)
        var snapshot: Engine.Snapshot? = engine.snapshot()
        let key = Array("key 77".utf8)
        try unsafe engine.put([1].span.bytes, forKey: key.span.bytes, in: namespace)
        try engine.compact()
        #expect(engine.statistics.levels.last?.entries == 6001)
        #expect(try engine.compactionEstimate().readBytes == 0)
        withExtendedLifetime(snapshot) {}
        snapshot = nil
        #expect(try engine.compactionEstimate().readBytes > 0)
        #expect(try engine.compact().shadowedEntries == 1)
        #expect(engine.statistics.levels.last?.entries == 6000)
        #expect(try engine.compactionEstimate().readBytes == 0)
        try engine.close()
    }
}
