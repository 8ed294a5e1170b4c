import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleMaintenance

/// Compacting any part of a store changes no answer, even if it is killed at any call.
@Suite struct CompactionScopeTests {
    private let time = ManualTime()

    private func open(_ files: SimulatedFileSystem, _ codec: Engine.Options.Compression? = nil) throws -> Engine {
        try StoreScript.open(files, time) { if let codec { $0.lastCompression = codec } }
    }

    private func scopes(_ engine: Engine) -> [(scope: CompactionScope, options: ManualCompactionOptions)] {
        let ids = engine.namespaces.map(\.id)
        let scopes: [CompactionScope] = [
            .keys(in: ids[0]), .keys(.prefix(Array("key 3".utf8)), in: ids[ids.count - 1]), .all,
            .keys(KeyRange(lower: .excluded(Array("key 2".utf8)), upper: .included(Array("key 5".utf8))), in: ids[1]),
        ]
        return scopes.enumerated().map { index, scope in
            var options = ManualCompactionOptions()
            options.recompresses = index == 2
            return (scope, options)
        }
    }

    @Test func answersStayAndTheScopeIsCompact() throws {
        for seed in [2, 3] as [UInt64] {
            let store = try PopulatedStore(seed: Ring.seed &* 31 &+ seed)
            time.wallMilliseconds = store.time.wallMilliseconds
            for index in 0..<4 {
                let files = store.files.crashClone(.processKill)
                let engine = try open(files, .lz4)
                let (scope, options) = scopes(engine)[index]
                let estimate = try engine.compactionEstimate(scope, options: options)
                let done = try engine.compact(scope, options: options)
                #expect(done.readBytes <= estimate.readBytes || estimate.readBytes == 0, "scope \(index)")
                // Nothing is left to compact.
                let rest = try engine.compactionEstimate(scope, options: options)
                #expect(rest.readBytes == 0, "scope \(index)")
                #expect(try engine.verify().problems.isEmpty)
                try engine.close()
                #expect(try PopulatedStore.content(of: files, at: StoreScript.path, store.time) == store.content)
            }
        }
    }

    /// Crashes the file system before every call of a compaction. The store then opens with the same content.
    @Test func aCompactionOfAScopeMayBeKilledAtAnyCall() throws {
        let store = try PopulatedStore(seed: Ring.seed &* 31 &+ 4, operations: 700)
        time.wallMilliseconds = store.time.wallMilliseconds
        let kills = KilledCompaction(
            open: { try open($0, .lz4) }, oneIn: Ring.choose(commit: 10, nightly: 2, release: 1))
        var states = 0
        for index in 0..<4 {
            func compact(_ engine: Engine) throws {
                let (scope, options) = scopes(engine)[index]
                try engine.compact(scope, options: options)
            }
            states += try kills.run(
                store.files.crashClone(.processKill), showing: store.content, compact, finish: compact, "scope \(index)"
            )
        }
        Ring.covered(states, "compactions killed and finished")
    }

    @Test func everythingIsCompressedAnew() throws {
        let store = try PopulatedStore(seed: Ring.seed &* 31 &+ 6)
        time.wallMilliseconds = store.time.wallMilliseconds
        let files = store.files.crashClone(.processKill)
        var sizes: [UInt64] = []
        for codec in [Engine.Options.Compression.none, .zstd(level: 1), .zstd(level: 9)] {
            let engine = try open(files, codec)
            var options = ManualCompactionOptions()
            options.recompresses = true
            let done = try engine.compact(options: options)
            #expect(done.copiedBlocks == 0 && done.writtenBytes > 0)
            sizes.append(engine.statistics.storedBytes)
            try engine.close()
        }
        #expect(sizes[1] < sizes[0] && sizes[2] <= sizes[1])
    }

    @Test func oneThatIsCancelledLosesNothing() throws {
        let store = try PopulatedStore(seed: Ring.seed &* 31 &+ 8)
        time.wallMilliseconds = store.time.wallMilliseconds
        let files = store.files.crashClone(.processKill)
        let engine = try open(files, Engine.Options.Compression.none)
        var steps = 0
        #expect(throws: StorageError.self) {
            try engine.compact { _ throws(StorageError) in
                steps += 1
                if steps == 1 { throw StorageError(.cancelled, "enough") }
            }
        }
        #expect(try engine.verify().problems.isEmpty)
        try engine.close()
        #expect(try PopulatedStore.content(of: files, at: StoreScript.path, store.time) == store.content)
    }
}
