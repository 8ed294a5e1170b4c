import Shale

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Formats rows as in RFC 4180, but with line feeds as line ends.
///
/// CSV is for spreadsheets, which execute text that looks like a formula, and names, keys and values may contain any
/// text. A text that begins like a formula and is no number therefore gets an apostrophe, which spreadsheets interpret
/// as "this is text". Control characters become the escapes of ``Shown``. JSON and NDJSON contain every text unchanged.
enum CSV {
    /// Returns the line of names and a line for each row, without the last line feed.
    static func text(_ table: RowTable) throws -> Shown {
        let rows = try table.rows.map { try members(of: $0) }
        let columns = table.columns ?? rows.first.map { $0.keys.sorted() } ?? []
        let lines = try rows.map { row in line(try columns.map { try cell(row[$0] ?? .null) }) }
        return ([names(columns)] + lines).joined(separator: "\n")
    }

    /// Returns the line of one row.
    static func line(of row: some Encodable, _ columns: [String]) throws -> Shown {
        let members = try members(of: row)
        return line(try columns.map { try cell(members[$0] ?? .null) })
    }

    /// Returns the line of names.
    static func names(_ columns: [String]) -> Shown { line(columns) }

    private static func line(_ cells: [String]) -> Shown { cells.map(quoted).joined(separator: ",") }

    private static func quoted(_ cell: String) -> Shown {
        let shown = Shown(lines: cell)
        guard shown.text.utf8.contains(where: { $0 == 0x22 || $0 == 0x2c || $0 == 0x0a }) else { return shown }
        return Shown(lines: "\"" + shown.text.replacing("\"", with: "\"\"") + "\"")
    }

    private static let formulaSigns = "=+-@\t\r\n\u{ff1d}\u{ff0b}\u{ff0d}\u{ff20}".unicodeScalars

    /// Returns the text of a cell such that no spreadsheet interprets it as a formula. Some spreadsheets treat wide
    /// forms of the signs as narrow ones.
    static func inert(_ text: String) -> String {
        guard let first = text.unicodeScalars.first, formulaSigns.contains(first), !isNumber(text) else { return text }
        return "'" + text
    }

    /// Returns true for digits with an optional sign, fraction and exponent. `Double.init` would accept more.
    private static func isNumber(_ text: String) -> Bool {
        text.wholeMatch(of: #/[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?/#) != nil
    }

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
