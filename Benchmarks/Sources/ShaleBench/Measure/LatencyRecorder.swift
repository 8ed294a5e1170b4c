import Histogram

/// The latencies of one thread's operations. An operation begins where the last one ended: one reading of the clock per
/// operation, as in db_bench. Preparing the key and the value is part of the operation.
struct LatencyRecorder: Sendable {
    /// Two significant digits, so that the counters stay in the first-level cache. The maximum is exact.
    private(set) var histogram = Histogram<UInt32>(
        highestTrackableValue: 3_600_000_000_000, numberOfSignificantValueDigits: .two)
    private(set) var timeline: Timeline
    private(set) var last: UInt64
    /// The sum of the touched bytes of values, kept so that the compiler can't remove the reads.
    var touched: UInt64 = 0

    /// Makes a recorder. `began` is the beginning of the run, common to all its threads.
    init(began: UInt64) {
        timeline = Timeline(began: began)
        last = Clock.now
    }

    /// Records the operation since the last call, or an operation of `count` entries.
    @inline(__always)
    mutating func finish(entries count: Int = 1) {
        let now = Clock.now
        record(now &- last, count, now)
    }

    /// Records an operation that was due at `due`. Its latency counts from then, so that a slow operation also shows in
    /// the latencies of those that it delays. (Otherwise the figures suffer from "coordinated omission".)
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

    /// Reads one byte of a value, as its user would.
    @inline(__always)
    mutating func touch(_ value: RawSpan) {
        guard value.byteCount > 0 else { return }
        touched &+= UInt64(unsafe value.unsafeLoad(fromByteOffset: value.byteCount &- 1, as: UInt8.self))
    }
}
