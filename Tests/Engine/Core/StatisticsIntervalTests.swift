import ShaleBase
import ShaleEngine
import Testing

/// The figures of an interval between two readings of the statistics.
@Suite struct StatisticsIntervalTests {
    @Test func totalsAreSubtractedAndGaugesKeepTheirNewerValue() throws {
        let store = try TestStore()
        let ns = try store.namespace("n")
        try store.put("a", "1", in: ns)
        let before = store.engine.statistics
        try store.put("b", "2", in: ns)
        try store.put("c", "3", in: ns)
        let after = store.engine.statistics
        let interval = after.since(before)
        #expect(interval.batches == 2 && interval.operations == 2)
        #expect(interval.userBytes == after.userBytes - before.userBytes && interval.userBytes > 0)
        #expect(interval.lastSequence == after.lastSequence)
        #expect(interval.memtableBytes == after.memtableBytes)
        #expect(interval.stalls.stopTime == .zero)
        #expect(after.since(after).batches == 0)
        try store.engine.close()
    }
}
