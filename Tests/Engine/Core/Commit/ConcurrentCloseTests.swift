import ShaleBase
import ShalePlatform
import ShaleSimulation
import Synchronization
import TestSupport
import Testing

@testable import ShaleEngine

/// Contract D-7: `close` returns when everything is durable, whichever thread called it first.
struct ConcurrentCloseTests {
    @Test func aSecondCallerReturnsWhenTheFirstHasMadeEverythingDurable() throws {
        let files = SimulatedFileSystem(seed: 1)
        let store = try TestStore(files, scheduling: .deferred)
        let namespace = try store.namespace("n")
        try store.put("k", "v", in: namespace)
        let gate = TestGate()
        let isArmed = Atomic<Bool>(true)
        files.willPerform = { operation, path in
            if operation == .sync, path.hasSuffix(".seg"), isArmed.exchange(false, ordering: .relaxed) { gate.pass() }
        }
        let engine = store.engine
        let first = try WorkerThread.start(name: "first") { do { try engine.close() } catch { Issue.record(error) } }
        gate.waitForArrival()
        let left = Guarded<SimulatedFileSystem?>(nil)
        let second = try WorkerThread.start(name: "second") {
            do { try engine.close() } catch { Issue.record(error) }
            left.withLock { $0 = files.crashClone(.dropAll) }
        }
        gate.open()
        first.join()
        second.join()
        let disk = try #require(left.withLock { $0 })
        let reopened = try TestStore.open(disk, TestStore.smallOptions)
        #expect(try reopened.value(forKey: Array("k".utf8), in: namespace) == Array("v".utf8))
    }
}
