import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSegment
import ShaleSimulation
import Synchronization
import TestSupport
import Testing

@testable import ShaleEngine

/// DESIGN.md, "Flush and compaction": how the segment of a memtable is compressed.
@Suite struct FlushCodecTests {
    private static func newestCodec(_ store: TestStore) throws -> BlockCodec? {
        try store.engine.core.viewCell.retained().version.levels[0].segments.first?.compression()?.codec
    }

    /// Writers may have to wait for a flush that makes room for them. One that `flush` asks for leaves a store at rest.
    @Test func onlyAFlushThatLeavesTheStoreAtRestIsCompressedAsTheLastLevel() throws {
        let store = try TestStore()
        let namespace = try store.namespace("n")
        var number = 0
        while try FlushCodecTests.newestCodec(store) == nil {
            try store.put("key \(number)", String(repeating: "value ", count: 20), in: namespace)
            number += 1
        }
        #expect(try FlushCodecTests.newestCodec(store) == .lz4)
        try store.put("last", "value", in: namespace)
        try store.engine.flush()
        guard case .zstd = try FlushCodecTests.newestCodec(store) else {
            Issue.record("compressed in haste")
            return
        }
    }
}

/// A flush waits for the memtables that were full when it began, not for those filled meanwhile.
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
