import ShaleBase
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleEngine

/// `stallDeadline` bounds the time that a write waits for background work, and nothing else.
@Suite struct StallDeadlineTests {
    /// Opens a store whose flushes wait at `gate`.
    private func store(_ gate: TestGate, _ time: ManualTime = ManualTime()) throws -> TestStore {
        let store = try TestStore(scheduling: .threads, time: time) {
            $0.stallDeadline = .milliseconds(50)
            $0.immutableMemtables = 1
        }
        store.files.willPerform = { kind, path in
            if kind == .sync, path.hasPrefix("/store/"), path.hasSuffix(".seg") { gate.pass() }
        }
        return store
    }

    /// The write was not applied. Writes succeed again once background work has caught up.
    @Test func aWriteThatWaitsLongerIsStalled() throws {
        let gate = TestGate()
        let store = try store(gate)
        let ns = try store.namespace("n")
        let (engine, time) = (store.engine, store.time)
        let value = [UInt8](repeating: 7, count: 4096)
        let outcome = Locked<(code: StorageError.Code?, key: UInt8)>((nil, 0))
        let writer = try WorkerThread.start(name: "writer") {
            for key in UInt8(1)...255 {
                do throws(StorageError) {
                    try engine.put(value, forKey: [key], in: ns)
                } catch {
                    return outcome.withLock { $0 = (error.code, key) }
                }
            }
        }
        let core = engine.core
        // Advances the clock until the writer sees it: its wait begins at a reading.
        let hasEnded = eventually {
            time.advance(milliseconds: 60)
            core.background?.wake()
            return outcome.withLock { $0.code } != nil
        }
        try #require(hasEnded)
        writer.join()
        let (code, key) = outcome.withLock { $0 }
        #expect(code == .stalled)
        #expect(try engine.value(forKey: [key], in: ns) == nil)
        #expect(engine.statistics.stalls.stoppedWrites >= 1)
        gate.open()
        let isWritten = try eventually { () throws(StorageError) in
            do throws(StorageError) {
                try engine.put(value, forKey: [key], in: ns)
                return true
            } catch {
                guard error.code == .stalled else { throw error }
                return false
            }
        }
        #expect(isWritten)
        #expect(try engine.value(forKey: [key], in: ns) == value)
        try engine.close()
    }

    @Test(arguments: ["flush", "close", "checkpoint", "compact", "reclaim"])
    func nothingElseIsStalled(_ call: String) throws {
        let gate = TestGate()
        let store = try store(gate)
        let ns = try store.namespace("n")
        try store.put("key", "value", in: ns)
        let (engine, time) = (store.engine, store.time)
        try TestThreads.run(2) { thread in
            if thread == 1 {
                gate.waitForArrival()
                for _ in 0..<20 {
                    time.advance(milliseconds: 60)
                    engine.core.background?.wake()
                    // Time for a background thread to end the call, which it must not do.
                    sleepNanoseconds(2_000_000)
                }
                // A purge is one edit, so it has nothing to wait for.
                if call != "close" { try engine.purge([ns]) }
                return gate.open()
            }
            switch call {
            case "flush": try engine.flush()
            case "close": try engine.close()
            case "checkpoint": try engine.checkpoint(at: "/copy")
            case "compact": try engine.compact()
            default: try engine.reclaim()
            }
        }
    }
}
