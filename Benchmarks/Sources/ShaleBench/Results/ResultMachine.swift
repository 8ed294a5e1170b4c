/// Where and with what the figures were measured: the first line of a result file.
struct ResultMachine: Codable, Equatable, Sendable {
    var cpu: String
    var cores: Int
    var kernel: String
    var fileSystem: String
    var device: String
    var memoryBytes: UInt64
    var compiler: String
    var revision: String
    /// How the harness and the engine were compiled.
    var flags: String
    /// ISO 8601, UTC: when the run began.
    var date: String
    var fsyncMicroseconds: ResultFsync
    /// By peer.
    var versions: [String: String]
    /// The options of each peer, for people to judge; by peer.
    var settings: [String: String]
    /// quick, full or custom.
    var preset: String
    /// One reading of the clock, of which every operation has one inside.
    var clockNanoseconds: Double?
    /// Of the minute before the run: what others were using.
    var loadAverage: Double?
}

/// An `fdatasync` after an append of 4 KiB, in microseconds.
struct ResultFsync: Codable, Equatable, Sendable {
    var p50: Double
    var p99: Double
}

/// What the machine does without a store: a line of kind `roofline`.
struct ResultRoofline: Codable, Equatable, Sendable {
    var run = 0
    /// `write(2)`, `write(2) of 1000`, `fdatasync`, `memcpy`, `lz4`, `zstd`.
    var name: String
    /// Operations; bytes for the last three.
    var perSecond: Double
    /// Threads that share a sync. Only for `fdatasync`.
    var threads: Int?
}
