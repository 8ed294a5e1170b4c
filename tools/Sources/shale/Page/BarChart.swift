/// Horizontal bars of parts, as SVG.
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
    func svg(_ description: Shown) -> String {
        let longest = rows.map { $0.parts.reduce(0) { $0 + $1.value } }.max() ?? 0
        let room = Self.width - Self.labelWidth - Self.noteWidth
        let scale = longest > 0 ? room / longest : 0
        let drawn = rows.enumerated().map { draw($1, top: Double($0) * Self.rowHeight, scale) }
        let height = Double(rows.count) * Self.rowHeight
        return Markup.element(
            "svg",
            [
                ("xmlns", "http://www.w3.org/2000/svg"),
                ("viewBox", "0 0 \(Self.number(Self.width)) \(Self.number(height))"),
                ("role", "img"), ("aria-label", description),
            ], drawn.joined(separator: "\n"))
    }

    private func draw(_ row: Row, top: Double, _ scale: Double) -> String {
        let baseline = Self.number(top + 17)
        let name = row.label.count > Self.labelMax ? row.label.prefix(Self.labelMax - 1) + "…" : row.label
        var text = Markup.element(
            "text", [("x", Self.number(Self.labelWidth - 8)), ("y", baseline), ("class", "label")],
            Markup.text(name) + Markup.element("title", [], Markup.text(row.label)))
        var left = Self.labelWidth
        for part in row.parts where part.value > 0 {
            // Wide enough to be visible.
            let width = max(part.value * scale, 1)
            text += Markup.element(
                "rect",
                [
                    ("x", Self.number(left)), ("y", Self.number(top + 4)), ("width", Self.number(width)),
                    ("height", "18"), ("class", part.kind),
                ], Markup.element("title", [], Markup.text(part.title)))
            left += width
        }
        return text
            + Markup.element("text", [("x", Self.number(left + 8)), ("y", baseline)], Markup.text(row.note))
    }

    private static func number(_ value: Double) -> Shown { Figures.decimal(value, 2) }
}
