import Shale

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Rows as RFC 4180 has them, but for the line ends, which are line feeds.
enum CSV {
    /// The names, then a line for each row; without the last line feed.
    static func text(_ table: RowTable) throws -> String {
        let rows = try table.rows.map { try members(of: $0) }
        let columns = table.columns ?? rows.first.map { $0.keys.sorted() } ?? []
        let lines = try rows.map { row in line(try columns.map { try cell(row[$0] ?? .null) }) }
        return ([line(columns)] + lines).joined(separator: "\n")
    }

    /// One row.
    static func line(of row: some Encodable, _ columns: [String]) throws -> String {
        let members = try members(of: row)
        return line(try columns.map { try cell(members[$0] ?? .null) })
    }

    static func line(_ cells: [String]) -> String { cells.map(quoted).joined(separator: ",") }

    private static func quoted(_ cell: String) -> String {
        guard cell.utf8.contains(where: { $0 == 0x22 || $0 == 0x2c || $0 == 0x0a || $0 == 0x0d }) else { return cell }
        return "\"" + cell.replacing("\"", with: "\"\"") + "\""
    }

    /// By the way of JSON, so that a cell says what the member says there.
    private static func members(of row: some Encodable) throws -> [String: StructuredValue] {
        try JSONDecoder().decode([String: StructuredValue].self, from: Data(try jsonText(row).utf8))
    }

    /// Lists and objects are JSON, what is missing is empty.
    private static func cell(_ value: StructuredValue) throws -> String {
        switch value {
        case .null: ""
        case .string(let text): text
        default: try jsonText(value)
        }
    }
}
