import Formatting
import Pages

/// A bar chart of one setting, from 0 on a linear scale: a bar for each contender with its value and Shale's ratio to
/// it.
struct BarChart {
    let comparison: Comparison
    let measure: Measure
    /// The measure of a thinner bar below, on the same scale.
    var second: Measure?

    private struct Line {
        let series: Series
        let first: Spread
        let second: Spread?
    }

    private var lines: [Line] {
        comparison.series.compactMap { series in
            series.spread(measure).map { Line(series: series, first: $0, second: second.flatMap(series.spread)) }
        }
    }

    var markup: Markup {
        let lines = lines
        let height = lines.contains { $0.second != nil } ? 44.0 : 38
        let scale = PlotScale.linear(to: lines.flatMap { [$0.first.max, $0.second?.max ?? 0] }.max() ?? 1)
        return SVG.chart(
            "\(comparison.setting.workload), \(measure.title)", description: description(lines),
            height: height * Double(lines.count), style: "bars"
        ) {
            for (index, line) in lines.enumerated() { bar(line, top: Double(index) * height, scale) }
        }
    }

    private func bar(_ line: Line, top: Double, _ scale: PlotScale) -> Markup {
        let contender = line.series.contender
        let isAhead = isAhead(contender)
        let end = scale.position(line.first.median)
        return tag("g") {
            SVG.text(
                (isAhead ? "▲ " : "") + contender.name, x: 0, y: top + 13,
                style: contender.isShale ? "name strong" : isAhead ? "name ahead" : "name")
            SVG.text(value(line), x: 1, y: top + 13, anchor: "end", style: isAhead ? "value ahead" : "value")
            SVG.rect(x: 0, y: top + 18, width: .part(end), height: 12, style: "bar " + Palette.style(contender))
            if let second = line.second {
                SVG.rect(
                    x: 0, y: top + 31, width: .part(scale.position(second.median)), height: 5,
                    style: "bar second " + Palette.style(contender))
            }
            SVG.line(x1: 0, y1: top + 16, x2: 0, y2: top + (line.second == nil ? 32 : 38), style: "axis")
            if line.first.count > 1 { whisker(line.first, y: top + 24, scale) }
        }
    }

    private func whisker(_ spread: Spread, y: Double, _ scale: PlotScale) -> Markup {
        let (low, high) = (SVG.Across.part(scale.position(spread.min)), SVG.Across.part(scale.position(spread.max)))
        return .group([
            SVG.line(x1: low, y1: y, x2: high, y2: y, style: "whisker"),
            SVG.line(x1: low, y1: y - 3, x2: low, y2: y + 3, style: "whisker"),
            SVG.line(x1: high, y1: y - 3, x2: high, y2: y + 3, style: "whisker"),
        ])
    }

    /// Returns true if the contender beats Shale by the chart's measure; the throughput chart also counts settled
    /// throughput.
    private func isAhead(_ contender: Contender) -> Bool {
        if measure == comparison.headline { return comparison.losses.contains { $0.peer == contender } }
        guard !contender.isShale, let ratio = comparison.ratio(measure, to: contender) else { return false }
        return ratio < 1
    }

    /// `317 k/s → 280 k/s · Shale 3.9×`: acknowledged, settled if it differs, and the ratio.
    private func value(_ line: Line) -> String {
        var text = short(line.first.median)
        if let second = line.second, short(second.median) != text { text += " → " + short(second.median) }
        guard !line.series.contender.isShale, let ratio = comparison.ratio(measure, to: line.series.contender) else {
            return text
        }
        return text + " · Shale \(Format.ratio(ratio))"
    }

    private func short(_ value: Double) -> String {
        measure.isBetterHigher ? Format.short(value) + "/s" : measure.text(value)
    }

    private func description(_ lines: [Line]) -> String {
        let parts = lines.map { line in
            "\(line.series.contender.name) \(measure.text(line.first.median))"
                + (line.second.map { ", settled \(measure.text($0.median))" } ?? "")
        }
        return "\(comparison.setting.details). " + parts.joined(separator: "; ") + "."
    }
}
