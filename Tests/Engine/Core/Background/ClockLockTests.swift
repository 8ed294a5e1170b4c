import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSimulation
import Synchronization
import TestSupport
import Testing

@testable import ShaleEngine

/// The engine reads a caller's clock without holding any lock.
@Suite struct ClockLockTests {
    /// A clock that takes every lock of an engine, on another thread, at each reading.
    private final class ProbingTime: TimeSource {
        let time = ManualTime()
        let probe = Locked<(@Sendable () -> Void)?>(nil)
        let readings = Atomic(0)
        let stuck = Atomic(0)

        var wallMilliseconds: Int64 {
            look()
            return time.wallMilliseconds
        }

        var monotonicNanoseconds: UInt64 {
            look()
            return time.monotonicNanoseconds
        }

        private func look() {
            guard stuck.load(ordering: .relaxed) == 0, let probe = probe.withLock({ $0 }) else { return }
            readings.wrappingAdd(1, ordering: .relaxed)
            let hasEnded = Locked(false)
            do {
                let thread = try WorkerThread.start(name: "probe") {
                    probe()
                    hasEnded.withLock { $0 = true }
                }
                guard eventually(within: .seconds(5), { hasEnded.withLock { $0 } }) else {
                    stuck.wrappingAdd(1, ordering: .relaxed)
                    return
                }
                thread.join()
            } catch {
                Issue.record("\(error)")
            }
        }
    }

    @Test(arguments: [false, true]) func aClockMayUseTheStore(threads: Bool) throws {
        let time = ProbingTime()
        let store = try TestStore(scheduling: threads ? .threads : .inline) {
            $0.time = time
            $0.statisticsInterval = nil
            $0.syncInterval = .milliseconds(10)
        }
        let engine = store.engine
        let core = engine.core
        time.probe.withLock { probe in
            probe = { [unowned core] in
                core.committer.lock.withLock {}
                core.manifestLock.withLock {}
                core.background?.lock.withLock {}
                _ = core.snapshots.count
                _ = core.erasures.snapshot()
            }
        }
        let ns = try store.namespace("n")
        for key in UInt8(0)..<20 {
            try engine.put([key], forKey: [key], in: ns, options: PutOptions(expiresAtMilliseconds: .max))
            let snapshot = engine.snapshot()
            _ = try engine.value(forKey: [key], in: ns, at: snapshot)
            _ = try engine.entries(in: ns)
            if key % 5 == 0 { try engine.flush() }
        }
        try engine.purge([ns])
        try engine.reclaim()
        try engine.compact()
        try engine.checkpoint(at: "/copy")
        _ = engine.statistics
        try engine.close()
        time.probe.withLock { $0 = nil }
        #expect(time.stuck.load(ordering: .relaxed) == 0, "a lock was held while the clock was read")
        #expect(time.readings.load(ordering: .relaxed) > 50)
    }
}
