import Formatting
import Pages

/// Lines over two axes, with the labels inside, so that the lines use the whole width.
struct LinePlot {
    struct Point {
        let x: Double
        let y: Double
    }

    struct Line {
        let contender: Contender
        /// The points, ascending by `x`.
        let points: [Point]
    }

    struct Axis {
        let scale: PlotScale
        let ticks: [PlotScale.Tick]
        let title: String
    }

    let title: String
    let description: String
    let x: Axis
    let y: Axis
    let lines: [Line]
    var hasDots = false
    var height = 230.0

    private static let top = 30.0
    private static let bottom = 36.0
    private var depth: Double { height - LinePlot.top - LinePlot.bottom }

    var markup: Markup {
        tag("div", ["class": "plot"]) {
            SVG.chart(title, description: description, height: height) {
                SVG.text(y.title, x: 0, y: 11, style: "axis-title")
                for tick in y.ticks { horizontal(tick) }
                for tick in x.ticks { vertical(tick) }
                SVG.text(x.title, x: 1, y: height - 4, anchor: "end", style: "axis-title")
                SVG.field(y: LinePlot.top, height: depth) {
                    for line in lines { SVG.path(data(line), style: "curve " + Palette.style(line.contender)) }
                }
                if hasDots { for line in lines { dots(line) } }
                for tick in y.ticks { label(tick) }
            }
            Palette.legend(lines.map(\.contender))
        }
    }

    private func down(_ value: Double) -> Double { depth * (1 - y.scale.position(value)) }

    private func horizontal(_ tick: PlotScale.Tick) -> Markup {
        let at = LinePlot.top + down(tick.value)
        return SVG.line(x1: 0, y1: at, x2: 1, y2: at, style: "grid")
    }

    /// Places the label above its line and over the curves.
    private func label(_ tick: PlotScale.Tick) -> Markup {
        SVG.text(tick.label, x: 0, y: LinePlot.top + down(tick.value) - 3, style: "tick halo")
    }

    private func vertical(_ tick: PlotScale.Tick) -> Markup {
        let part = x.scale.position(tick.value)
        let at = SVG.Across.part(part)
        return .group([
            SVG.line(x1: at, y1: LinePlot.top, x2: at, y2: LinePlot.top + depth, style: "grid"),
            SVG.text(
                tick.label, x: at, y: LinePlot.top + depth + 14,
                anchor: part < 0.03 ? "start" : part > 0.97 ? "end" : "middle",
                style: "tick"),
        ])
    }

    private func data(_ line: Line) -> String {
        line.points.enumerated().map { index, point in
            "\(index == 0 ? "M" : "L")\(SVG.number(x.scale.position(point.x) * 1000)) \(SVG.number(down(point.y)))"
        }.joined()
    }

    private func dots(_ line: Line) -> Markup {
        .group(
            line.points.map { point in
                SVG.dot(
                    x: .part(x.scale.position(point.x)), y: LinePlot.top + down(point.y),
                    style: "dot " + Palette.style(line.contender),
                    title: "\(line.contender.name): \(Format.short(point.x)), \(Format.short(point.y))")
            })
    }
}
