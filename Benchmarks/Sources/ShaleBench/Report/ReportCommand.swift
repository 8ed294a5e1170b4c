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

    @Option(help: "Write the chart of README.md, as SVG.")
    var chart: String?

    @Option(
        help: ArgumentHelp(
            "Replace the part of this document that shows a run; --link names the chart there.",
            discussion: "The part is between comments; see README.md."))
    var readme: String?

    @Option(help: "The chart's path, relative to the document of --readme.")
    var link: String?

    @Flag(help: "Print the table and the bars, with files too.")
    var table = false

    func validate() throws {
        guard (readme == nil) == (link == nil) else { throw ValidationError("--readme and --link belong together") }
    }

    func run() throws {
        let output = ReportOutput(try ResultFile.read(results))
        if let html { try write(output.html, to: html) }
        if let csv { try write(output.csv, to: csv) }
        let summary = Summary(figures: output.figures)
        if let chart { try write(SummaryChart(summary).text, to: chart) }
        if let readme, let link {
            let document = try String(contentsOf: URL(filePath: readme), encoding: .utf8)
            try write(try summary.replacing(in: document, chart: link), to: readme)
        }
        if table || [html, csv, chart, readme].allSatisfy({ $0 == nil }) { print(output.table) }
    }

    private func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
    }
}

/// Makes the report from a result file in all its forms.
struct ReportOutput {
    let figures: Figures
    let verdicts: [BarVerdict]

    init(_ file: ResultFile) {
        figures = Figures(file)
        verdicts = BarEvaluation(figures: figures).verdicts()
    }

    var table: String { TerminalReport(figures: figures, verdicts: verdicts).lines.joined(separator: "\n") }
    var html: String { HTMLReport(figures: figures, verdicts: verdicts).text }
    var csv: String { CSVReport.text(figures.file.rows) }
}
