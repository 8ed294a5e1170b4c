import Formatting

/// A row of a listing.
protocol ListedRow: Encodable {
    /// The members, in the order of CSV's columns.
    static var columns: [String] { get }
    /// Returns the row for people.
    func line() throws -> Shown
}

/// Writes a listing row by row, in memory that does not depend on the number of rows.
struct RowWriter<Row: ListedRow>: ~Copyable {
    private let format: OutputFormat
    private let command: String
    private var output = Terminal.Output()
    private(set) var count = 0

    /// - Parameters:
    ///   - head: The members of a JSON answer beside its rows.
    ///   - list: The name of the rows in a JSON answer.
    init(_ format: OutputFormat, command: String, head: some Encodable, list: Shown) throws {
        self.format = format
        self.command = command
        switch format {
        case .json:
            let opening = try jsonText(Envelope(command: command, body: head))
            try output.write("\(opening.prefix(opening.count - 1)),\"\(list)\":[")
        case .csv: try output.write(CSV.names(Row.columns) + "\n")
        case .human, .ndjson: break
        }
    }

    mutating func write(_ row: Row) throws {
        switch format {
        case .human: try output.write(row.line() + "\n")
        case .json: try output.write((count == 0 ? "\n" : ",\n") + jsonText(row))
        case .ndjson: try output.write(jsonText(Envelope(command: command, body: row)) + "\n")
        case .csv: try output.write(CSV.line(of: row, Row.columns) + "\n")
        }
        count += 1
    }

    /// Ends the listing. `findings`, which kept more from being listed, are part of a JSON answer.
    mutating func finish(findings: [FindingRow]? = nil) throws {
        if format == .json {
            let found = try findings.map { ",\"findings\":\(try jsonText($0))" as Shown } ?? ""
            try output.write("\n],\"count\":\(count)\(found)}\n")
        }
        try output.flush()
    }
}
