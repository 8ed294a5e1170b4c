import ShaleBase
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleEngine

/// Failed work waits for its next attempt, and only threads that need its result wait for it.
@Suite struct FailedWorkTests {
    /// After a failed compaction the flush thread has nothing to retry: it sleeps without holding a lock.
    @Test func aFailedCompactionStopsNobody() throws {
        let store = try TestStore(scheduling: .threads) { $0.l0CompactionTrigger = 1 }
        let ns = try store.namespace("n")
        store.files.inject(
            FaultRule(on: [.read], path: "/store/segments/*", when: .always, repeatsForever: true, .error(5)))
        let rounds = Locked(0)
        let (engine, time) = (store.engine, store.time)
        let writer = try WorkerThread.start(name: "writer") {
            for round in 0..<40 {
                let failures = engine.statistics.backgroundFailures
                do {
                    try engine.put([UInt8(round)], forKey: [UInt8(round % 3)], in: ns)
                    // A flush does not wait for the pause after a failed compaction, and does not get its error.
                    try engine.flush()
                } catch {
                    Issue.record("round \(round): \(error)")
                }
                // Ends the pause after the failure at once.
                time.advance(nanoseconds: 100_000_000_000)
                // The next attempt fails too. It may have come before, so it is not waited for longer.
                _ = eventually(within: .milliseconds(50)) { engine.statistics.backgroundFailures > failures }
                rounds.withLock { $0 += 1 }
            }
        }
        let isDone = eventually { rounds.withLock { $0 } == 40 }
        try #require(isDone, "the writer hangs")
        writer.join()
        #expect(store.engine.statistics.backgroundFailures > 0)
        // Neither does closing.
        try store.engine.close()
    }
}

/// A thread that waits for a flush on a full disk gets the error that there is no space.
struct WorkFailureTests {
    private let noSpace = StorageError(.noSpace, "no space")

    @Test func anAttemptThatIsLeftOutForWantOfSpaceEndsAWaitThatBeganDuringTheLastOne() {
        var failures = WorkFailures()
        failures.begin()
        // A thread requests a flush during the attempt, whose outcome tells nothing about the thread's own memtable.
        let attempts = failures.attempts
        failures.fail(noSpace, at: 0)
        #expect(failures.failure(after: attempts) == nil)
        failures.failWithoutTrying(at: 2_000_000_000)
        #expect(failures.failure(after: attempts)?.code == .noSpace)
        #expect(!failures.mayTry(at: 2_500_000_000))
        #expect(failures.mayTry(at: 3_000_000_000))
    }
}
