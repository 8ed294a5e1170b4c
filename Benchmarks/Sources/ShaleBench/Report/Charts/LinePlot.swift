import Formatting
import Foundation
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

/// Maps values to positions from 0 to 1.
struct PlotScale: Equatable, Sendable {
    enum Kind: Sendable {
        case linear, logarithmic
    }

    struct Tick: Equatable, Sendable {
        let value: Double
        let label: String
    }

    let kind: Kind
    let low: Double
    let high: Double

    /// Returns a scale from 0 to `highest`.
    static func linear(to highest: Double) -> PlotScale {
        PlotScale(kind: .linear, low: 0, high: max(highest, .leastNormalMagnitude))
    }

    /// Returns a scale of whole decades around `values`, at least one. Ignores values that are not positive.
    static func logarithmic(around values: [Double]) -> PlotScale {
        let positive = values.filter { $0 > 0 && $0.isFinite }
        let low = floor(log10(positive.min() ?? 1) + 1e-9)
        let high = ceil(log10(positive.max() ?? 10) - 1e-9)
        return PlotScale(kind: .logarithmic, low: pow(10, low), high: pow(10, max(high, low + 1)))
    }

    /// Returns the position of a value, clamped to the ends.
    func position(_ value: Double) -> Double {
        let part =
            switch kind {
            case .linear: (value - low) / (high - low)
            case .logarithmic: value > 0 ? log10(value / low) / log10(high / low) : 0
            }
        return min(max(part, 0), 1)
    }

    /// Returns about `count` round values inside the scale. A logarithmic scale has a tick at every decade, every
    /// second one, and so on.
    func ticks(_ count: Int = 4, label: (Double) -> String) -> [Tick] {
        let values =
            switch kind {
            case .linear: linearTicks(count)
            case .logarithmic: decades(count)
            }
        return values.map { Tick(value: $0, label: label($0)) }
    }

    private func linearTicks(_ count: Int) -> [Double] {
        let rough = (high - low) / Double(count)
        let magnitude = pow(10, floor(log10(rough)))
        let step = [1, 2, 5, 10].map { $0 * magnitude }.first { $0 >= rough * 0.999 } ?? rough
        return stride(from: 0, through: (high - low) / step + 1e-9, by: 1).map { low + $0 * step }
    }

    private func decades(_ count: Int) -> [Double] {
        let exponents = Int(log10(low).rounded())...Int(log10(high).rounded())
        let step = max(1, (exponents.count + count) / (count + 1))
        return stride(from: exponents.lowerBound, through: exponents.upperBound, by: step).map { pow(10, Double($0)) }
    }
}
