/// The rows of a result file as CSV (RFC 4180, but lines end with LF): a header, then a line per row in file order,
/// including warm-ups. Only the result file has latency curves and timelines.
enum CSVReport {
    static func text(_ rows: [ResultRow]) -> String {
        ([CSVColumn.all.map(\.name).joined(separator: ",")] + rows.map(line)).map { $0 + "\n" }.joined()
    }

    static func line(_ row: ResultRow) -> String {
        CSVColumn.all.map { quoted($0.value(row)) }.joined(separator: ",")
    }

    private static func quoted(_ field: String) -> String {
        let isSpecial = field.utf8.contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D }
        guard isSpecial else { return field }
        return "\"" + field.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
    }
}
