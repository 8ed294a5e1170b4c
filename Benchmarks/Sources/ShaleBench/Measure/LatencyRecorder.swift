import Histogram

/// Latencies of one thread's operations, of which one begins where the last one ended: a single reading of the clock
/// per operation, as in db_bench. Preparing the key and the value is part of the operation.
struct LatencyRecorder: Sendable {
    /// Two digits: the counters stay in the first-level cache. The maximum is exact.
    private(set) var histogram = Histogram<UInt32>(
        highestTrackableValue: 3_600_000_000_000, numberOfSignificantValueDigits: .two)
    private(set) var timeline: Timeline
    private(set) var last: UInt64

    /// `began` is when the run began, for all its threads.
    init(began: UInt64) {
        timeline = Timeline(began: began)
        last = Clock.now
    }

    /// The operation that ran since the last call is over.
    @inline(__always)
    mutating func finish() {
        let now = Clock.now
        let latency = now &- last
        last = now
        histogram.record(latency)
        timeline.add(1, latency: latency, at: now)
    }

    /// As ``finish()``, for an operation of `count` entries.
    mutating func finish(entries count: Int) {
        let now = Clock.now
        let latency = now &- last
        last = now
        histogram.record(latency)
        timeline.add(count, latency: latency, at: now)
    }

    /// Leaves the time since the last operation out.
    mutating func skip() { last = Clock.now }
}
