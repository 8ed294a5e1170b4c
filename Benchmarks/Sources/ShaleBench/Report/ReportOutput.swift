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
