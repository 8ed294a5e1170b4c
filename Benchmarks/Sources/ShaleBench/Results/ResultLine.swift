#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A line of a result file: a JSON object whose members `schema` and `kind` determine the rest.
enum ResultLine: Equatable, Sendable {
    case machine(ResultMachine)
    case roofline(ResultRoofline)
    case row(ResultRow)
    /// A line of an unknown kind, which is skipped.
    case other(kind: String)

    /// Raised when a member changes its meaning or is removed.
    static let schema = 1
}

extension ResultLine: Codable {
    private enum Key: CodingKey {
        case schema, kind
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let schema = try container.decode(Int.self, forKey: .schema)
        guard schema == ResultLine.schema else {
            throw DecodingError.dataCorruptedError(
                forKey: .schema, in: container, debugDescription: "schema \(schema) is not \(ResultLine.schema)")
        }
        let kind = try container.decode(String.self, forKey: .kind)
        switch kind {
        case "machine": self = .machine(try ResultMachine(from: decoder))
        case "roofline": self = .roofline(try ResultRoofline(from: decoder))
        case "row": self = .row(try ResultRow(from: decoder))
        default: self = .other(kind: kind)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(ResultLine.schema, forKey: .schema)
        switch self {
        case .machine(let machine):
            try container.encode("machine", forKey: .kind)
            try machine.encode(to: encoder)
        case .roofline(let roofline):
            try container.encode("roofline", forKey: .kind)
            try roofline.encode(to: encoder)
        case .row(let row):
            try container.encode("row", forKey: .kind)
            try row.encode(to: encoder)
        case .other(let kind): try container.encode(kind, forKey: .kind)
        }
    }
}

extension ResultLine {
    /// Returns the lines of a result file, in order.
    static func read(_ path: String) throws -> [ResultLine] {
        let decoder = JSONDecoder()
        return try Data(contentsOf: URL(filePath: path)).split(separator: UInt8(ascii: "\n")).map {
            try decoder.decode(ResultLine.self, from: $0)
        }
    }

    /// Returns the encoded line with its line end.
    func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var line = try encoder.encode(self)
        line.append(UInt8(ascii: "\n"))
        return line
    }
}

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
