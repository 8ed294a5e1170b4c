import Shale

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Rows as RFC 4180 has them, but for the line ends, which are line feeds.
///
/// CSV is for spreadsheets, which run what looks like a formula, and names, keys and values are anybody's. So a text
/// that begins like a formula and is no number gets an apostrophe in front, which spreadsheets take for "this is
/// text", and controls become the escapes of ``Shown``. JSON and NDJSON have every text as it is.
enum CSV {
    /// The names, then a line for each row; without the last line feed.
    static func text(_ table: RowTable) throws -> Shown {
        let rows = try table.rows.map { try members(of: $0) }
        let columns = table.columns ?? rows.first.map { $0.keys.sorted() } ?? []
        let lines = try rows.map { row in line(try columns.map { try cell(row[$0] ?? .null) }) }
        return ([names(columns)] + lines).joined(separator: "\n")
    }

    /// One row.
    static func line(of row: some Encodable, _ columns: [String]) throws -> Shown {
        let members = try members(of: row)
        return line(try columns.map { try cell(members[$0] ?? .null) })
    }

    /// The line of names.
    static func names(_ columns: [String]) -> Shown { line(columns) }

    private static func line(_ cells: [String]) -> Shown { cells.map(quoted).joined(separator: ",") }

    private static func quoted(_ cell: String) -> Shown {
        let shown = Shown(lines: cell)
        guard shown.text.utf8.contains(where: { $0 == 0x22 || $0 == 0x2c || $0 == 0x0a }) else { return shown }
        return Shown(lines: "\"" + shown.text.replacing("\"", with: "\"\"") + "\"")
    }

    private static let formulaSigns = "=+-@\t\r\n\u{ff1d}\u{ff0b}\u{ff0d}\u{ff20}".unicodeScalars

    /// The text of a cell that no spreadsheet takes for a formula. The wide forms are taken for the narrow ones by
    /// some.
    static func inert(_ text: String) -> String {
        guard let first = text.unicodeScalars.first, formulaSigns.contains(first), !isNumber(text) else { return text }
        return "'" + text
    }

    /// Digits with a sign, a fraction and an exponent, and nothing else: not what `Double.init` takes besides.
    private static func isNumber(_ text: String) -> Bool {
        text.wholeMatch(of: #/[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?/#) != nil
    }

    /// By the way of JSON, so that a cell says what the member says there.
    private static func members(of row: some Encodable) throws -> [String: StructuredValue] {
        try JSONDecoder().decode([String: StructuredValue].self, from: Data(try jsonText(row).text.utf8))
    }

    /// Lists and objects are JSON, what is missing is empty.
    private static func cell(_ value: StructuredValue) throws -> String {
        switch value {
        case .null: ""
        case .string(let text): inert(text)
        default: try jsonText(value).text
        }
    }
}
