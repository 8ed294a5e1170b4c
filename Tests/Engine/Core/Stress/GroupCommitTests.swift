import ShaleBase
import ShalePlatform
import ShaleSimulation
import Testing

@testable import ShaleEngine

/// Synced commits of many threads share syncs, and acknowledged commits are durable.
@Suite struct GroupCommitTests {
    private static let threads = 16

    /// Opens a store with threads on a disk whose log syncs begin only after several writers wait for the next one.
    private func open(_ files: SimulatedFileSystem) throws -> Engine {
        let group = GroupGathering(4)
        var options = TestStore.smallOptions
        options.durability = .synced
        let engine = try Engine.open(
            at: "/store", options: options,
            environment: EngineEnvironment(
                fileSystem: HookedFileSystem(files) { group.gather($0) }, random: SeededRandom(seed: 1)))
        group.watch(engine)
        return engine
    }

    @Test func everyAcknowledgedCommitSurvivesAPowerLossRightAfterIt() throws {
        let files = SimulatedFileSystem(seed: 1)
        files.recordsOperations = false
        let engine = try open(files)
        let ns = try engine.createNamespace(named: [1])
        let acknowledged = Locked<Set<[UInt8]>>([])
        try TestThreads.run(GroupCommitTests.threads) { thread in
            for i in 0..<40 {
                let key = Array("\(thread)/\(i)".utf8)
                try engine.put(Array("value \(i)".utf8), forKey: key, in: ns)
                let known = acknowledged.withLock { known in
                    known.insert(key)
                    return known
                }
                guard i % 10 == thread % 10 else { continue }
                let left = try TestStore.open(files.crashClone(.dropAll), TestStore.smallOptions)
                let there = Set(try left.entries(in: ns).map(\.key))
                #expect(known.isSubset(of: there))
            }
        }
        let statistics = engine.statistics
        #expect(statistics.batches == 16 * 40)
        #expect(statistics.syncs < statistics.batches)
        #expect(try engine.entries(in: ns).count == 16 * 40)
        let committer = engine.core.committer
        // Served commits no longer reserve room in the memtable.
        #expect(committer.lock.withLock { committer.pendingBytes == 0 && committer.pendingOperations == 0 })
        try engine.close()
    }

    @Test func aFailedSyncIsIndeterminateForItsGroupAndPoisonForLaterWriters() throws {
        for round in 0..<20 {
            let files = SimulatedFileSystem(seed: UInt64(round))
            let engine = try open(files)
            let ns = try engine.createNamespace(named: [1])
            files.inject(
                FaultRule(on: [.sync], path: "wal/*", when: .match(3 + round * 7 % 20), .error(5)))
            let outcomes = Locked<[[UInt8]: StorageError.Code?]>([:])
            try TestThreads.run(GroupCommitTests.threads) { thread in
                var hasFailed = false
                for i in 0..<60 {
                    let key = Array("\(thread)/\(i)".utf8)
                    do throws(StorageError) {
                        try engine.put(Array("value".utf8), forKey: key, in: ns)
                        outcomes.withLock { $0[key] = .some(nil) }
                        #expect(!hasFailed)
                    } catch {
                        outcomes.withLock { $0[key] = error.code }
                        #expect(hasFailed ? error.code == .poisoned : [.indeterminate, .poisoned].contains(error.code))
                        hasFailed = true
                    }
                }
                #expect(hasFailed)
            }
            #expect(engine.statistics.isPoisoned)
            let results = outcomes.withLock { $0 }
            #expect(results.values.contains(.indeterminate))
            // Reads still work, and show exactly what was acknowledged.
            let seen = Set(try engine.entries(in: ns).map(\.key))
            #expect(seen == Set(results.filter { $0.value == nil }.keys))
            for policy in [CrashPolicy.dropAll, .processKill] {
                let left = try TestStore.open(files.crashClone(policy), TestStore.smallOptions)
                let there = Set(try left.entries(in: ns).map(\.key))
                #expect(seen.isSubset(of: there))
                #expect(there.allSatisfy { results[$0] != .poisoned })
            }
        }
    }
}
