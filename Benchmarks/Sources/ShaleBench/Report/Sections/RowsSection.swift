import Pages

/// Every row of the result file, for the reader's own calculations.
struct RowsSection {
    let rows: [ResultRow]

    var section: Section {
        Section(
            id: "rows", title: "Every row",
            content: tag("details") {
                tag("summary") { "\(rows.count) rows as CSV, warm-ups (run -1) included" }
                HTMLTable(
                    caption: "Columns", titles: ["Column", "Meaning"],
                    lines: CSVColumn.all.map { [HTMLTable.Cell(text: $0.name), HTMLTable.Cell(text: $0.meaning)] },
                    words: [0, 1]
                ).markup
                tag("pre", ["tabindex": "0", "aria-label": "All rows as CSV"]) { CSVReport.text(rows) }
            })
    }
}
