/// The result of one run of a workload: a line of kind `row` in a result file. A `nil` value was not measured.
struct ResultRow: Codable, Equatable, Sendable {
    /// The repetition; -1 for the warm-up, which is discarded.
    var run = 0
    var peer: String
    /// The variant: empty for the options of the bars, or `uncompressed` and similar.
    var variant = ""
    /// The reason why this build of the peer is slower than its best; `nil` if none is known.
    var handicap: String?
    var workload: String
    /// The last step of the store before this workload: `fill`, `compact`; empty if it makes no difference.
    var after = ""
    /// The number of entries that the store holds or gets.
    var entries: Int
    var keyBytes = 16
    var valueBytes = 100
    var threads = 1

    var operations: Int
    /// Seconds from the first operation to the last acknowledgement.
    var seconds: Double
    var perSecond: Double
    /// Seconds from the last acknowledgement until everything was durable and no background work was left.
    var settleSeconds: Double?
    /// Operations per second, including that time.
    var settledPerSecond: Double?

    var latency: ResultLatency?
    /// Set if operations were due at a fixed rate; latencies then count from the due time.
    var paced: ResultPace?
    var timeline: ResultTimeline?

    /// User and system time of all threads, including settling.
    var cpuSeconds: Double?
    var peakResidentBytes: Int?
    /// The maximum of memory for the process, page cache included; `nil` without a limit.
    var memoryLimitBytes: Int?
    /// The engine's memory budget. Shale only.
    var memoryBudgetBytes: Int?

    /// The bytes of keys and values that the workload wrote.
    var userBytes: Int?
    /// The bytes that the process caused the kernel to write, including background work until the store had settled.
    var bytesWritten: Int?
    var writeAmplification: Double?
    /// The bytes that the process caused the kernel to read from the device.
    var bytesRead: Int?
    /// The bytes that the store's files occupy at the last acknowledgement, and after settling.
    var diskBytes: Int?
    var settledDiskBytes: Int?
    /// Settled bytes on disk per byte of live keys and values.
    var spaceAmplification: Double?

    /// The duration of workloads that are one step: open, purge, drop, compact.
    var milliseconds: Double?
    /// The machine's limit with the same data, measured in alternation with the workload, in its operations per second.
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

/// Percentiles in microseconds.
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

/// The course of a run in windows of equal length from its beginning.
struct ResultTimeline: Codable, Equatable, Sendable {
    var intervalSeconds: Double
    /// Operations per second that ended in each window.
    var perSecond: [Double]
    /// The longest operation that ended in each window, in microseconds.
    var longestMicroseconds: [Double]
}
