import ShaleBase
import ShaleSimulation
import Testing

@testable import ShaleEngine

/// Back-pressure counts the bytes of value files, though memtables have references only.
@Suite struct ValuePressureTests {
    /// Otherwise, writers of large values would be slowed to the rate of their references.
    @Test func aFlushAbsorbsTheBytesOfItsValues() throws {
        let store = try TestStore { $0.largeValueBytes = 100 }
        let a = try store.namespace("a")
        store.files.didPerform = { [time = store.time] kind, path in
            if kind == .sync, path.hasSuffix(".val") { time.advance(nanoseconds: 1_000_000) }
        }
        let value = String(repeating: "x", count: 1_000_000)
        for i in 0..<20 {
            try store.put("k\(i)", value, in: a)
            try store.engine.flush()
        }
        #expect(store.engine.core.pacer.flushRate > 900_000_000)
    }

    @Test func aValueFileThatFillsUpIsPressure() throws {
        let store = try TestStore {
            $0.largeValueBytes = 100
            $0.memtableBytes = 1 << 20
        }
        let a = try store.namespace("a")
        let core = store.engine.core
        #expect(core.valueShare(of: core.viewCell.retained()) == 0)
        let full = try #require(core.committer.separation).fileBytesMax
        try store.put("k", String(repeating: "x", count: Int(full / 2)), in: a)
        #expect((0.5..<0.51).contains(core.valueShare(of: core.viewCell.retained())))
    }
}
