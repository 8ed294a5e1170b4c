import Histogram

/// Latencies of one thread's operations, of which one begins where the last one ended: a single reading of the clock
/// per operation, as in db_bench. Preparing the key and the value is part of the operation.
struct LatencyRecorder: Sendable {
    /// Two digits: the counters stay in the first-level cache. The maximum is exact.
    private(set) var histogram = Histogram<UInt32>(
        highestTrackableValue: 3_600_000_000_000, numberOfSignificantValueDigits: .two)
    private(set) var timeline: Timeline
    private(set) var last: UInt64
    /// The sum of what was touched of values that were read; kept so that reading them can't be left out.
    var touched: UInt64 = 0

    /// `began` is when the run began, for all its threads.
    init(began: UInt64) {
        timeline = Timeline(began: began)
        last = Clock.now
    }

    /// The operation that ran since the last call is over; or an operation of `count` entries.
    @inline(__always)
    mutating func finish(entries count: Int = 1) {
        let now = Clock.now
        record(now &- last, count, now)
    }

    /// The operation that was due at `due` is over: its latency counts from then, not from when it could begin, so that
    /// one slow operation is not counted as one only ("coordinated omission").
    @inline(__always)
    mutating func finish(due: UInt64) {
        let now = Clock.now
        record(now &- due, 1, now)
    }

    @inline(__always)
    private mutating func record(_ latency: UInt64, _ count: Int, _ now: UInt64) {
        last = now
        histogram.record(latency)
        timeline.add(count, latency: latency, at: now)
    }

    /// Touches a value that was read, as its user would.
    @inline(__always)
    mutating func touch(_ value: RawSpan) {
        guard value.byteCount > 0 else { return }
        touched &+= UInt64(unsafe value.unsafeLoad(fromByteOffset: value.byteCount &- 1, as: UInt8.self))
    }
}
