import Formatting
import Shale

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A row of a listing.
protocol ListedRow: Encodable {
    /// The members, in the order of CSV's columns.
    static var columns: [String] { get }
    /// The row with these columns as its members, for CSV; by default the row itself.
    var cells: any Encodable { get }
    /// Returns the row for people.
    func line() throws -> Shown
}

extension ListedRow {
    var cells: any Encodable { self }
}

/// Writes a listing row by row, in memory that does not depend on the number of rows.
struct RowWriter<Row: ListedRow>: ~Copyable {
    private let format: OutputFormat
    private let command: String
    private let isSilent: Bool
    private let columns: [String]
    private var output = Terminal.Output()
    private(set) var count = 0

    /// - Parameters:
    ///   - head: The members of a JSON answer beside its rows.
    ///   - list: The name of the rows in a JSON answer.
    ///   - columns: The columns of CSV, where they are not the same for every listing of these rows.
    ///   - isSilent: True if rows are only counted.
    init(
        _ format: OutputFormat, command: String, head: some Encodable, list: Shown, columns: [String] = Row.columns,
        isSilent: Bool = false
    ) throws {
        self.format = format
        self.command = command
        self.columns = columns
        self.isSilent = isSilent
        if isSilent { return }
        switch format {
        case .json:
            let opening = try jsonText(Envelope(command: command, body: head))
            try output.write("\(opening.prefix(opening.count - 1)),\"\(list)\":[")
        case .csv: try output.write(CSV.names(columns) + "\n")
        case .human, .ndjson: break
        }
    }

    mutating func write(_ row: Row) throws {
        if isSilent {
            count += 1
            return
        }
        switch format {
        case .human: try output.write(row.line() + "\n")
        case .json: try output.write((count == 0 ? "\n" : ",\n") + jsonText(row))
        case .ndjson: try output.write(jsonText(Envelope(command: command, body: row)) + "\n")
        case .csv: try output.write(CSV.line(of: row.cells, columns) + "\n")
        }
        count += 1
    }

    /// Writes the rows so far, for a listing that goes on later.
    mutating func flush() throws { try output.flush() }

    /// Ends the listing.
    ///
    /// - Parameters:
    ///   - findings: Damage that kept more from being listed. Part of a JSON answer.
    ///   - after: The last listed key, if more entries follow it. Part of a JSON answer.
    mutating func finish(findings: [FindingRow]? = nil, after: ShownKey? = nil) throws {
        if format == .json, !isSilent {
            let found = try findings.map { ",\"findings\":\(try jsonText($0))" as Shown } ?? ""
            let text = try after?.text.map { ",\"after\":\(try jsonText($0))" as Shown } ?? ""
            let base64 = try after?.base64.map { ",\"afterBase64\":\(try jsonText($0))" as Shown } ?? ""
            try output.write("\n],\"count\":\(count)\(found)\(text)\(base64)}\n")
        }
        try output.flush()
    }
}

/// Rows as CSV. Control characters become the escapes of ``Shown``. JSON and NDJSON contain every text unchanged.
extension CSV {
    /// Returns the line of names and a line for each row, without the last line feed.
    static func text(_ table: RowTable) throws -> Shown {
        let rows = try table.rows.map { try members(of: $0) }
        let columns = table.columns ?? rows.first.map { $0.keys.sorted() } ?? []
        let lines = try rows.map { row in shown(try columns.map { try cell(row[$0] ?? .null) }) }
        return ([names(columns)] + lines).joined(separator: "\n")
    }

    /// Returns the line of one row.
    static func line(of row: any Encodable, _ columns: [String]) throws -> Shown {
        let members = try members(of: row)
        return shown(try columns.map { try cell(members[$0] ?? .null) })
    }

    /// Returns the line of names.
    static func names(_ columns: [String]) -> Shown { shown(columns) }

    private static func shown(_ cells: [String]) -> Shown { Shown(lines: line(cells.map { Shown(lines: $0).text })) }

    /// Returns the members of a row. Uses JSON encoding, so that a cell contains the same value as the JSON member.
    private static func members(of row: some Encodable) throws -> [String: StructuredValue] {
        try JSONDecoder().decode([String: StructuredValue].self, from: Data(try jsonText(row).text.utf8))
    }

    /// Formats a cell: lists and objects as JSON, a missing value as empty.
    private static func cell(_ value: StructuredValue) throws -> String {
        switch value {
        case .null: ""
        case .string(let text): inert(text)
        default: try jsonText(value).text
        }
    }
}
