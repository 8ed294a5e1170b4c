/// The machine and the versions of the measurements: the first line of a result file.
struct ResultMachine: Codable, Equatable, Sendable {
    var cpu: String
    var cores: Int
    var kernel: String
    var fileSystem: String
    var device: String
    var memoryBytes: UInt64
    var compiler: String
    var revision: String
    /// The compiler flags of the harness and the engine.
    var flags: String
    /// The beginning of the run: ISO 8601, UTC.
    var date: String
    var fsyncMicroseconds: ResultFsync
    /// The versions by peer.
    var versions: [String: String]
    /// The options of each peer as text, by peer.
    var settings: [String: String]
    /// quick, full or custom.
    var preset: String
    /// The cost of one reading of the clock, which every operation includes.
    var clockNanoseconds: Double?
    /// The load average of the minute before the run: the use by other processes.
    var loadAverage: Double?
}

/// The latency of `fdatasync` after an append of 4 KiB, in microseconds.
struct ResultFsync: Codable, Equatable, Sendable {
    var p50: Double
    var p99: Double
}

/// A limit of the machine without a store: a line of kind `roofline`.
struct ResultRoofline: Codable, Equatable, Sendable {
    var run = 0
    /// `write(2)`, `write(2) of 1000`, `fdatasync`, `log parse`, `memcpy`, `lz4`, `zstd`.
    var name: String
    /// Operations per second; bytes per second for the last three.
    var perSecond: Double
    /// The number of threads that share a sync. Only for `fdatasync`.
    var threads: Int?
}
