import Histogram

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
