import Formatting

/// A measure against the number of entries, for settings that differ only in size.
struct SizePlot {
    let family: [Comparison]
    let measure: Measure

    var plot: LinePlot {
        let lines = lines
        let sizes = PlotScale.logarithmic(around: family.map { Double($0.setting.entries) })
        let values = PlotScale.logarithmic(around: lines.flatMap { $0.points.map(\.y) })
        return LinePlot(
            title: "\(family[0].setting.workload), \(measure.title) against entries", description: description(lines),
            x: LinePlot.Axis(scale: sizes, ticks: sizes.ticks(7, label: Format.short), title: "entries"),
            y: LinePlot.Axis(scale: values, ticks: values.ticks(label: text), title: measure.title), lines: lines,
            hasDots: true)
    }

    private var lines: [LinePlot.Line] {
        Set(family.flatMap { $0.series.map(\.contender) }).sorted().compactMap { contender in
            let points = family.compactMap { comparison -> LinePlot.Point? in
                guard let value = comparison.series(of: contender)?.median(measure), value > 0 else { return nil }
                return LinePlot.Point(x: Double(comparison.setting.entries), y: value)
            }
            return points.isEmpty ? nil : LinePlot.Line(contender: contender, points: points.sorted { $0.x < $1.x })
        }
    }

    private func text(_ value: Double) -> String {
        switch measure {
        case .milliseconds: Format.duration(microseconds: value * 1e3)
        case .peakResidentBytes: Format.short(value / 1_048_576) + " MiB"
        default: Format.short(value) + (measure.isBetterHigher ? "/s" : "")
        }
    }

    private func description(_ lines: [LinePlot.Line]) -> String {
        lines.map { line in
            line.contender.name + ": "
                + line.points.map { "\(text($0.y)) at \(Format.short($0.x))" }.joined(separator: ", ") + "."
        }.joined(separator: " ")
    }
}
