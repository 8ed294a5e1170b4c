import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

/// A compaction with a limit for additional disk space. The test measures the space at every call.
@Suite struct BoundedCompactionTests {
    private func open(
        _ files: SimulatedFileSystem, _ codec: Engine.Options.Compression = .lz4
    ) throws -> Engine {
        try StoreScript.open(files) { $0.lastCompression = codec }
    }

    /// Returns a store with several levels, each of which overwrites and deletes parts of the levels below.
    private func filled(_ count: Int) throws -> (files: SimulatedFileSystem, content: [[UInt8]: [[UInt8]: [UInt8]]]) {
        let files = SimulatedFileSystem(seed: 5)
        files.recordsOperations = false
        let engine = try open(files)
        let random = SeededRandom(seed: Ring.seed)
        let namespace = try engine.createNamespace(named: [1])
        var content: [[UInt8]: [UInt8]] = [:]
        for _ in 0..<count {
            let key = Array("key \(random.below(count))".utf8)
            if random.below(10) == 0 {
                try unsafe engine.delete(key.span.bytes, in: namespace)
                content[key] = nil
            } else {
                let value = random.bytes(80)
                try unsafe engine.put(value.span.bytes, forKey: key.span.bytes, in: namespace)
                content[key] = value
            }
        }
        try engine.flush()
        try engine.close()
        return (files, [[1]: content])
    }

    private func bounded(_ bytes: UInt64, recompresses: Bool = false) -> ManualCompactionOptions {
        var options = ManualCompactionOptions()
        options.extraDiskBytesMax = bytes
        options.recompresses = recompresses
        return options
    }

    /// Returns the space that the compaction needs, as the error for a limit that is too low states it.
    private func needed(_ files: SimulatedFileSystem, _ codec: Engine.Options.Compression) throws -> UInt64 {
        let engine = try open(files.crashClone(.processKill), codec)
        let before = engine.statistics
        let error = try #require(throws: StorageError.self) { try engine.compact(options: bounded(1)) }
        #expect(error.code == .invalidArgument)
        // The refused compaction has changed nothing.
        #expect(engine.statistics.levels == before.levels)
        try engine.close()
        let words = error.message.split(separator: " ")
        let number = words.first { $0.hasPrefix("bytes=") }?.dropFirst(6)
        return try #require(number.flatMap { UInt64($0) })
    }

    @Test func thePeakStaysBelowTheBound() throws {
        let store = try filled(20_000)
        let least = try needed(store.files, .lz4)
        #expect(least < 600 << 10)
        for factor in [1, 2, 4] as [UInt64] {
            for codec in [Engine.Options.Compression.lz4, .zstd(level: 3)] {
                let files = store.files.crashClone(.processKill)
                let engine = try open(files, codec)
                #expect(engine.statistics.levels.count { $0.segments > 0 } >= 3)
                let before = files.usedBytes
                // Includes space for the manifest's edits, which are not outputs of the compaction.
                files.setQuota(before + Int(least * factor) + (16 << 10))
                var peak = 0
                files.willPerform = { _, _ in peak = max(peak, files.usedBytes) }
                try engine.compact(options: bounded(least * factor, recompresses: true))
                files.willPerform = nil
                let taken = peak - before
                #expect(taken <= Int(least * factor) + (16 << 10), "\(codec) × \(factor)")
                #expect(engine.statistics.levels.dropLast().allSatisfy { $0.segments == 0 })
                #expect(try engine.compactionEstimate(options: bounded(least, recompresses: true)).readBytes == 0)
                #expect(try PopulatedStore.content(engine) == store.content)
                #expect(try engine.verify().problems.isEmpty)
                try engine.close()
            }
        }
    }

    /// Between the steps of one job, versions exist in two places. No reader notices, even after a crash, and the next
    /// compaction continues from there.
    @Test func aBoundedCompactionMayBeKilledAtAnyCall() throws {
        let store = try filled(6000)
        let least = try needed(store.files, .lz4)
        let kills = KilledCompaction(
            open: { try open($0) }, oneIn: Ring.choose(commit: 100, nightly: 20, release: 5))
        let states = try kills.run(
            store.files.crashClone(.processKill), showing: store.content, { try $0.compact(options: bounded(least)) },
            finish: { try $0.compact(options: bounded(least * 2)) })
        Ring.covered(states, "bounded compactions killed and finished")
    }
}
