import ArgumentParser

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `shale-bench report`.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Makes tables and charts from a result file, and holds it against the bars.",
        discussion: """
            Prints the table and the bars unless only files are asked for.

            Columns of the CSV file, a line for each row of the result file:
            \(CSVColumn.all.map { "  \($0.name): \($0.meaning)" }.joined(separator: "\n"))
            """)

    @Argument(help: "JSON lines, as written by the run.")
    var results: String

    @Option(help: "Write one self-contained HTML file.")
    var html: String?

    @Option(help: "Write the rows as CSV.")
    var csv: String?

    @Flag(help: "Print the table and the bars, with --html or --csv too.")
    var table = false

    func run() throws {
        let output = ReportOutput(try ResultFile.read(results))
        if let html { try write(output.html, to: html) }
        if let csv { try write(output.csv, to: csv) }
        if table || (html == nil && csv == nil) { print(output.table) }
    }

    private func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
    }
}
