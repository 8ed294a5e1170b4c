/// Text as cells of CSV: RFC 4180, but lines end with a line feed.
///
/// CSV is for spreadsheets, which execute text that looks like a formula, and cells may contain any text. A text that
/// begins like a formula and is no number therefore gets an apostrophe, which spreadsheets interpret as "this is text".
public enum CSV {
    /// Returns the line of the cells, without its line feed. Text from data goes through ``inert(_:)`` first.
    public static func line(_ cells: [String]) -> String { cells.map(quoted).joined(separator: ",") }

    private static func quoted(_ cell: String) -> String {
        let isSpecial = cell.utf8.contains { $0 == 0x22 || $0 == 0x2c || $0 == 0x0a || $0 == 0x0d }
        guard isSpecial else { return cell }
        return "\"" + cell.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
    }

    private static let formulaSigns = "=+-@\t\r\n\u{ff1d}\u{ff0b}\u{ff0d}\u{ff20}".unicodeScalars

    /// Returns the text of a cell such that no spreadsheet interprets it as a formula. Some spreadsheets treat wide
    /// forms of the signs as narrow ones.
    public static func inert(_ text: String) -> String {
        guard let first = text.unicodeScalars.first, formulaSigns.contains(first), !isNumber(text) else { return text }
        return "'" + text
    }

    /// Returns true for digits with an optional sign, fraction and exponent. `Double.init` would accept more.
    private static func isNumber(_ text: String) -> Bool {
        text.wholeMatch(of: #/[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?/#) != nil
    }
}
