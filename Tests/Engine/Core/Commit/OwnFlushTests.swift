import ShaleBase
import ShalePlatform
import ShaleSimulation
import Synchronization
import TestSupport
import Testing

@testable import ShaleEngine

/// A flush waits for the memtables that were full when it began, not for those filled meanwhile (contract D-3).
@Suite struct OwnFlushTests {
    @Test(arguments: ["flush", "checkpoint"]) func itWaitsForItsOwnMemtables(_ call: String) throws {
        let store = try TestStore(scheduling: .threads) { $0.immutableMemtables = 8 }
        let ns = try store.namespace("n")
        try store.put("own", "1", in: ns)
        let (own, later) = (TestGate(), TestGate())
        let syncs = Atomic(0)
        store.files.willPerform = { kind, path in
            guard kind == .sync, path.hasPrefix("/store/"), path.hasSuffix(".seg") else { return }
            switch syncs.wrappingAdd(1, ordering: .relaxed).newValue {
            case 1: own.pass()
            case 2: later.pass()
            default: break
            }
        }
        let (engine, core) = (store.engine, store.engine.core)
        let isDone = Atomic(false)
        try TestThreads.run(2) { thread in
            if thread == 0 {
                if call == "flush" { try engine.flush() } else { try engine.checkpoint(at: "/copy") }
                return isDone.store(true, ordering: .releasing)
            }
            defer { later.open() }
            own.waitForArrival()
            for key in UInt8(0)..<3 {
                try engine.put([key], forKey: [key], in: ns)
                try core.committer.exclusively { () throws(StorageError) in try core.rotate(bytes: 0, operations: 0) }
            }
            own.open()
            later.waitForArrival()
            #expect(eventually(within: .seconds(10)) { isDone.load(ordering: .acquiring) })
        }
        try engine.close()
    }
}
