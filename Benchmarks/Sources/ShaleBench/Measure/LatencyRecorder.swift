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

/// Operations and the longest of them in windows of 100 ms, to show stalls that percentiles hide.
struct Timeline: Sendable {
    struct Window: Sendable {
        var operations = 0
        var longestNanoseconds: UInt64 = 0
    }

    static let windowNanoseconds: UInt64 = 100_000_000

    private let began: UInt64
    private var windowEnd: UInt64
    private var current = Window()
    private var finished: [Window] = []

    init(began: UInt64) {
        self.began = began
        windowEnd = began + Timeline.windowNanoseconds
        finished.reserveCapacity(4096)
    }

    /// Records an operation that ended at `now`, in the window in which it ended.
    @inline(__always)
    mutating func add(_ operations: Int, latency: UInt64, at now: UInt64) {
        if now >= windowEnd { advance(to: now) }
        current.operations &+= operations
        if latency > current.longestNanoseconds { current.longestNanoseconds = latency }
    }

    @inline(never)
    private mutating func advance(to now: UInt64) {
        while now >= windowEnd {
            finished.append(current)
            current = Window()
            windowEnd += Timeline.windowNanoseconds
        }
    }

    /// All windows; the last one may be shorter.
    var windows: [Window] { finished + [current] }

    mutating func merge(_ other: Timeline) {
        var sum = windows
        for (index, window) in other.windows.enumerated() {
            if index == sum.count { sum.append(Window()) }
            sum[index].operations += window.operations
            sum[index].longestNanoseconds = max(sum[index].longestNanoseconds, window.longestNanoseconds)
        }
        current = sum.removeLast()
        finished = sum
    }
}

extension ResultLatency {
    /// Two points for each halving of the distance to 100 %: 0, 25, 50, 62.5, 75 …
    private static let curveTicks = 2

    /// Combines all `recorders`, whose unit is nanoseconds.
    init?(_ recorders: [LatencyRecorder]) {
        guard var sum = recorders.first?.histogram else { return nil }
        for recorder in recorders.dropFirst() { sum.add(recorder.histogram) }
        guard sum.totalCount > 0 else { return nil }
        let microseconds = { (nanoseconds: UInt64) in Double(nanoseconds) / 1e3 }
        self.init(
            p50: microseconds(sum.valueAtPercentile(50)), p99: microseconds(sum.valueAtPercentile(99)),
            p999: microseconds(sum.valueAtPercentile(99.9)), max: microseconds(sum.maxRecorded), curve: [])
        for step in sum.percentiles(ticksPerHalfDistance: ResultLatency.curveTicks) {
            curve.append([step.percentile, min(max, microseconds(step.value))])
        }
    }
}

extension ResultTimeline {
    /// Combines all `recorders`.
    init?(_ recorders: [LatencyRecorder]) {
        guard var sum = recorders.first?.timeline else { return nil }
        for recorder in recorders.dropFirst() { sum.merge(recorder.timeline) }
        let interval = Double(Timeline.windowNanoseconds) / 1e9
        self.init(
            intervalSeconds: interval, perSecond: sum.windows.map { Double($0.operations) / interval },
            longestMicroseconds: sum.windows.map { Double($0.longestNanoseconds) / 1e3 })
    }
}
