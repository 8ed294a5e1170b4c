/// What one run of a workload gave: a line of kind `row` in a result file. What is `nil` was not measured.
struct ResultRow: Codable, Equatable, Sendable {
    /// Which repetition; -1 for the warm-up, which is thrown away.
    var run = 0
    var peer: String
    /// Empty for the options that the bars are about; `uncompressed` and the like.
    var variant = ""
    var workload: String
    /// What the store went through last before this workload: `fill`, `compact`; empty when it makes no difference.
    var after = ""
    /// Entries that the store holds, or gets.
    var entries: Int
    var keyBytes = 16
    var valueBytes = 100
    var threads = 1

    var operations: Int
    /// From the first operation to the last acknowledgement.
    var seconds: Double
    var perSecond: Double
    /// From the last acknowledgement until everything was durable and the background had nothing left to do.
    var settleSeconds: Double?
    /// Operations per second with that time counted.
    var settledPerSecond: Double?

    var latency: ResultLatency?
    /// Set when operations were due at a fixed rate: the latency is then counted from when one was due.
    var paced: ResultPace?
    var timeline: ResultTimeline?

    /// User and system time of all threads, settling included.
    var cpuSeconds: Double?
    var peakResidentBytes: Int?
    /// What the engine was told to stay within. Shale only.
    var memoryBudgetBytes: Int?

    /// Bytes of keys and values that the workload wrote.
    var userBytes: Int?
    /// Bytes that the process made the kernel write, background work until the store had settled included.
    var bytesWritten: Int?
    var writeAmplification: Double?
    /// Bytes that the store's files occupy at the last acknowledgement, and when it had settled.
    var diskBytes: Int?
    var settledDiskBytes: Int?
    /// Settled bytes on disk for each byte of live keys and values.
    var spaceAmplification: Double?

    /// The duration of workloads that are one step: open, purge, drop, compact.
    var milliseconds: Double?
    /// What the machine does at most with the same data, measured in turn with the workload, in its operations.
    var rooflinePerSecond: Double?
    var note: String?

    init(
        peer: String, workload: String, entries: Int, operations: Int, seconds: Double
    ) {
        self.peer = peer
        self.workload = workload
        self.entries = entries
        self.operations = operations
        self.seconds = seconds
        perSecond = seconds > 0 ? Double(operations) / seconds : 0
    }
}

/// Percentiles, in microseconds.
struct ResultLatency: Codable, Equatable, Sendable {
    var p50: Double
    var p99: Double
    var p999: Double
    var max: Double
    /// Pairs of a percentile (0 … 100, ascending) and its microseconds.
    var curve: [[Double]]
}

/// A fixed rate of operations.
struct ResultPace: Codable, Equatable, Sendable {
    var ratePerSecond: Double
}

/// How a run went over time, in windows of equal length from its beginning.
struct ResultTimeline: Codable, Equatable, Sendable {
    var intervalSeconds: Double
    /// Operations per second that ended in each window.
    var perSecond: [Double]
    /// The longest operation that ended in each window.
    var longestMicroseconds: [Double]
}
