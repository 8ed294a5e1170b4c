import Pages

/// Horizontal bars of parts.
struct BarChart {
    struct Part {
        /// The class in the style sheet.
        let kind: Shown
        let value: Double
        /// The text shown when the pointer rests on the part.
        let title: Shown
    }

    struct Row {
        let label: Shown
        let parts: [Part]
        /// The text after the bar.
        let note: Shown
    }

    var rows: [Row]

    private static let width = 760.0
    private static let labelWidth = 190.0
    private static let noteWidth = 190.0
    private static let rowHeight = 26.0
    private static let labelMax = 26

    /// - Parameter description: The description for readers who can't see the chart.
    func markup(_ description: Shown) -> Markup {
        let longest = rows.map { $0.parts.reduce(0) { $0 + $1.value } }.max() ?? 0
        let room = Self.width - Self.labelWidth - Self.noteWidth
        let scale = longest > 0 ? room / longest : 0
        return SVG.drawing(description.text, width: Self.width, height: Double(rows.count) * Self.rowHeight) {
            for (index, row) in rows.enumerated() { draw(row, top: Double(index) * Self.rowHeight, scale) }
        }
    }

    private func draw(_ row: Row, top: Double, _ scale: Double) -> Markup {
        let baseline = top + 17
        let name = row.label.count > Self.labelMax ? row.label.prefix(Self.labelMax - 1) + "…" : row.label
        var pieces = [
            SVG.text(
                name.text, x: .pixels(Self.labelWidth - 8), y: baseline, anchor: "end", style: "label",
                title: row.label.text)
        ]
        var left = Self.labelWidth
        for part in row.parts where part.value > 0 {
            // Wide enough to be visible.
            let width = max(part.value * scale, 1)
            pieces.append(
                SVG.rect(
                    x: .pixels(left), y: top + 4, width: .pixels(width), height: 18, style: part.kind.text,
                    title: part.title.text))
            left += width
        }
        pieces.append(SVG.text(row.note.text, x: .pixels(left + 8), y: baseline))
        return .group(pieces)
    }
}
