import Pages

/// The chart of a summary as a file of its own: an SVG with its colours, its background and a legend, light and dark.
struct SummaryChart {
    private static let width = 760.0
    private static let margin = 16.0
    private static let legendHeight = 28.0

    private let ratios: RatioChart

    init(_ summary: Summary) {
        ratios = RatioChart(comparisons: summary.comparisons, usualEntries: summary.figures.usualEntries)
    }

    var text: String {
        let height = ratios.height + SummaryChart.legendHeight + 2 * SummaryChart.margin
        return tag(
            "svg",
            [
                "xmlns": "http://www.w3.org/2000/svg", "width": SVG.number(SummaryChart.width),
                "height": SVG.number(height),
                "viewBox": "0 0 \(SVG.number(SummaryChart.width)) \(SVG.number(height))",
                "font-family": "system-ui, sans-serif", "font-size": "12",
            ]
        ) {
            tag("style") { StyleSheet.drawings }
            SVG.rect(x: 0, y: 0, width: 1, height: height, style: "ground")
            legend
            inset(y: SummaryChart.margin + SummaryChart.legendHeight, height: ratios.height) { ratios.markup }
        }.text
    }

    /// Returns an area that leaves the margins free.
    private func inset(y: Double, height: Double, @MarkupBuilder _ content: () -> Markup) -> Markup {
        tag(
            "svg",
            [
                "x": SVG.number(SummaryChart.margin), "y": SVG.number(y),
                "width": SVG.number(SummaryChart.width - 2 * SummaryChart.margin), "height": SVG.number(height),
                "overflow": "visible",
            ], content)
    }

    /// The peers with samples of their dots, in one row.
    private var legend: Markup {
        var x = SummaryChart.margin + 6
        let y = SummaryChart.margin + 6
        return .group(
            ratios.peers.map { peer in
                defer { x += 36 + 7 * Double(peer.name.count) }
                return tag("g") {
                    SVG.dot(x: .pixels(x), y: y, radius: 5, style: "dot " + Palette.style(peer), title: peer.name)
                    SVG.text(peer.name, x: .pixels(x + 12), y: y + 4, style: "legend-name")
                }
            })
    }
}
