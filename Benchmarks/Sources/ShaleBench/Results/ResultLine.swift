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
