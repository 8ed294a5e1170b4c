import Histogram
import ShaleEngine

/// What one run of a workload gave. Optional parts belong to some workloads only.
struct Row: Encodable, Sendable {
    struct Latency: Encodable, Sendable {
        var p50 = 0.0
        var p99 = 0.0
        var p999 = 0.0
        var max = 0.0
    }

    /// The same work by the machine alone.
    struct Roofline: Encodable, Sendable {
        let name: String
        let perSecond: Double
    }

    /// From the last acknowledgement until the background had nothing left to do.
    struct Settled: Encodable, Sendable {
        let seconds: Double
        let cpuSeconds: Double
        let diskBytes: Int
        /// The rest is the space of logs, which is kept for the next ones.
        let segmentBytes: Int
    }

    struct Stalls: Encodable, Sendable {
        let delayedWrites: UInt64
        let delaySeconds: Double
        let stoppedWrites: UInt64
        let stopSeconds: Double
        let longestSeconds: Double

        init(_ stalls: StallStatistics) {
            delayedWrites = stalls.delayedWrites
            delaySeconds = Double(stalls.delayNanoseconds) / 1e9
            stoppedWrites = stalls.stoppedWrites
            stopSeconds = Double(stalls.stopNanoseconds) / 1e9
            longestSeconds = Double(max(stalls.longestDelayNanoseconds, stalls.longestStopNanoseconds)) / 1e9
        }
    }

    /// The course of the run, to see stalls: windows of 100 ms and their sums by second.
    struct Course: Encodable, Sendable {
        let operationsBySecond: [Int]
        let longestMicrosecondsBySecond: [Double]
        let longestMicrosecondsByWindow: [Double]

        init(_ timeline: Timeline) {
            let windows = timeline.windows
            let seconds = stride(from: 0, to: windows.count, by: 10).map { windows[$0..<min($0 + 10, windows.count)] }
            operationsBySecond = seconds.map { $0.reduce(0) { $0 + $1.operations } }
            longestMicrosecondsBySecond = seconds.map { Double($0.map(\.longestNanoseconds).max() ?? 0) / 1e3 }
            longestMicrosecondsByWindow = windows.map { Double($0.longestNanoseconds) / 1e3 }
        }
    }

    let workload: String
    var entries: Int
    var threads = 1
    var operations = 0
    var seconds = 0.0
    var operationsPerSecond: Double
    /// Microseconds. `nil` for workloads that are one step.
    var latencyMicroseconds: Latency?
    var cpuSeconds = 0.0
    var peakResidentBytes = 0
    var roofline: Roofline?
    var rooflineRatio: Double?
    var isCached: Bool?
    var tree: String?
    var settled: Settled?
    var diskBytes: Int?
    var bytesWrittenPerUserByte: Double?
    var stalls: Stalls?
    var course: Course?
    var note: String?

    init(workload: String, entries: Int, threads: Int, operations: Int, seconds: Double) {
        self.workload = workload
        self.entries = entries
        self.threads = threads
        self.operations = operations
        self.seconds = seconds
        operationsPerSecond = seconds > 0 ? Double(operations) / seconds : 0
    }

    mutating func compare(with roofline: Roofline) {
        self.roofline = roofline
        rooflineRatio = roofline.perSecond > 0 ? operationsPerSecond / roofline.perSecond : nil
    }
}

extension Row.Latency {
    init(_ histogram: Histogram<UInt32>) {
        p50 = Double(histogram.valueAtPercentile(50)) / 1e3
        p99 = Double(histogram.valueAtPercentile(99)) / 1e3
        p999 = Double(histogram.valueAtPercentile(99.9)) / 1e3
        max = Double(histogram.maxRecorded) / 1e3
    }
}
