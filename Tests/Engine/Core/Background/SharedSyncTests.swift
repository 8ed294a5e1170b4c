import ShaleBase
import ShalePlatform
import Synchronization
import TestSupport
import Testing

/// No caller treats as durable what another caller's failed sync may have covered.
@Suite struct SharedSyncTests {
    /// A sync that waits at a gate the first time, and fails in run number `failing`.
    private final class Bench: Sendable {
        let runs = Atomic(0)
        let running = Atomic(0)
        let overlaps = Atomic(0)
        let failing: Int
        let arrived = Atomic(false)
        let isOpen = Atomic(false)

        init(failing: Int = 0) { self.failing = failing }

        func sync() throws(IOFailure) {
            if running.wrappingAdd(1, ordering: .relaxed).newValue > 1 {
                overlaps.wrappingAdd(1, ordering: .relaxed)
            }
            defer { running.wrappingSubtract(1, ordering: .relaxed) }
            let run = runs.wrappingAdd(1, ordering: .relaxed).newValue
            if run == 1 {
                arrived.store(true, ordering: .releasing)
                _ = eventually { isOpen.load(ordering: .acquiring) }
            }
            if run == failing { throw IOFailure("sync", "directory", 5) }
        }
    }

    /// Runs `others` callers while a first sync is held up. Returns the errors, the first sync's first.
    private func run(_ bench: Bench, _ shared: SharedSync, others: Int) throws -> [IOFailure?] {
        let failures = Locked<[IOFailure?]>(Array(repeating: nil, count: others + 1))
        let asked = Atomic(0)
        func caller(_ index: Int, _ mark: SharedSync.Mark) throws(IOFailure) -> WorkerThread {
            try WorkerThread.start(name: "sync") {
                asked.wrappingAdd(1, ordering: .relaxed)
                do throws(IOFailure) { try shared.sync(since: mark) } catch { failures.withLock { $0[index] = error } }
            }
        }
        let mark = shared.mark
        var threads = [try caller(0, mark)]
        #expect(eventually { bench.arrived.load(ordering: .acquiring) })
        for index in 0..<others { threads.append(try caller(index + 1, mark)) }
        #expect(eventually { asked.load(ordering: .relaxed) == others + 1 })
        // Time for all but the first to begin waiting, which no state shows. A caller that comes later adds a sync.
        sleepNanoseconds(2_000_000)
        bench.isOpen.store(true, ordering: .releasing)
        for thread in threads { thread.join() }
        return failures.withLock { $0 }
    }

    @Test func callersThatWaitShareOneSyncThatBeganAfterTheirCall() throws {
        let bench = Bench()
        let shared = SharedSync { () throws(IOFailure) in try bench.sync() }
        let failures = try run(bench, shared, others: 6)
        #expect(failures.allSatisfy { $0 == nil })
        #expect(bench.overlaps.load(ordering: .relaxed) == 0)
        #expect((2...7).contains(bench.runs.load(ordering: .relaxed)))
    }

    /// The first sync fails and the second succeeds. The first one may have lost what the other callers made before it.
    @Test func aFailureReachesAllCallersItMayCover() throws {
        let bench = Bench(failing: 1)
        let shared = SharedSync { () throws(IOFailure) in try bench.sync() }
        let early = shared.mark
        let failures = try run(bench, shared, others: 3)
        #expect(failures.allSatisfy { $0?.errorNumber == 5 })
        // This caller had made something before the failure, but had not called `sync` yet.
        #expect(throws: IOFailure.self) { try shared.sync(since: early) }
        // Work that begins after the failure is not affected by it.
        #expect(throws: Never.self) { try shared.sync(since: shared.mark) }
    }

    @Test func aFailureOfASharedSyncIsThrownToAllThatShareIt() throws {
        let bench = Bench(failing: 2)
        let shared = SharedSync { () throws(IOFailure) in try bench.sync() }
        let failures = try run(bench, shared, others: 3)
        #expect(failures[0] == nil)
        #expect(failures.dropFirst().allSatisfy { $0?.errorNumber == 5 })
    }
}
