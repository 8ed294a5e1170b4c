import Testing

@testable import ShaleBench

struct ResultLatencyTests {
    @Test("an operation that was late counts from when it was due")
    func coordinatedOmission() throws {
        var recorder = LatencyRecorder(began: Clock.now)
        recorder.finish(due: Clock.now - 5_000_000)
        let latency = try #require(ResultLatency([recorder]))
        #expect(latency.max >= 5000)
    }

    @Test("percentiles of several threads are of all their operations, and the curve ascends")
    func percentiles() throws {
        var recorders = (0..<2).map { _ in LatencyRecorder(began: Clock.now) }
        for operation in 1...1000 { recorders[operation & 1].finish(due: Clock.now - UInt64(operation) * 1_000_000) }
        let latency = try #require(ResultLatency(recorders))
        // Allows for two significant digits, and for the time that the test itself takes.
        #expect((495_000...520_000).contains(latency.p50))
        #expect((980_000...1_010_000).contains(latency.p99))
        #expect(latency.max >= 1_000_000)
        #expect(latency.curve.map { $0[0] } == latency.curve.map { $0[0] }.sorted())
        #expect(latency.curve.map { $0[1] } == latency.curve.map { $0[1] }.sorted())
        #expect(latency.curve.last?[0] == 100)
    }

    @Test("nothing recorded is nothing measured")
    func empty() { #expect(ResultLatency([LatencyRecorder(began: Clock.now)]) == nil) }
}
