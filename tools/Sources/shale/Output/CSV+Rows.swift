import Formatting
import Shale

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
    static func line(of row: some Encodable, _ columns: [String]) throws -> Shown {
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
