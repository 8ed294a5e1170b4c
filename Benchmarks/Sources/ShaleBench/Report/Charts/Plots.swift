import Formatting
import Foundation

/// Latencies by percentile, on an axis that gives each further nine of the percentile the same width: log(1 / (1 - p)).
struct LatencyPlot {
    let comparison: Comparison

    /// The plot; `nil` if no latency was measured.
    var plot: LinePlot? {
        let curves = comparison.series.compactMap { series in
            series.typical.flatMap(LatencyPlot.points).map { LinePlot.Line(contender: series.contender, points: $0) }
        }
        guard !curves.isEmpty else { return nil }
        let points = curves.flatMap(\.points)
        let latencies = PlotScale.logarithmic(around: points.map(\.y))
        let nines = PlotScale(kind: .linear, low: 0, high: max(3, points.map(\.x).max() ?? 3))
        return LinePlot(
            title: "\(comparison.setting.workload), latency by percentile", description: description(curves),
            x: LinePlot.Axis(scale: nines, ticks: LatencyPlot.ticks(to: nines.high), title: "percentile"),
            y: LinePlot.Axis(
                scale: latencies, ticks: latencies.ticks { Format.duration(microseconds: $0) }, title: "latency"),
            lines: curves)
    }

    /// Returns the curve of a row, or its known percentiles. The last operation lies at 1 - 1 / operations.
    private static func points(_ row: ResultRow) -> [LinePlot.Point]? {
        guard let latency = row.latency else { return nil }
        let known: [[Double]] = [[50, latency.p50], [99, latency.p99], [99.9, latency.p999], [100, latency.max]]
        let last = log10(Double(max(row.operations, 2)))
        return (latency.curve.isEmpty ? known : latency.curve).map { pair in
            LinePlot.Point(x: min(nines(pair[0]), last), y: max(pair[1], 0.001))
        }
    }

    private static func nines(_ percentile: Double) -> Double {
        percentile < 100 ? -log10(1 - max(percentile, 0) / 100) : .infinity
    }

    private static func ticks(to high: Double) -> [PlotScale.Tick] {
        [(50, "50"), (90, "90"), (99, "99"), (99.9, "99.9"), (99.99, "99.99"), (99.999, "99.999")]
            .map { PlotScale.Tick(value: nines($0), label: $1) }.filter { $0.value <= high + 1e-6 }
    }

    private func description(_ curves: [LinePlot.Line]) -> String {
        let parts = comparison.series.compactMap { series -> String? in
            guard let latency = series.typical?.latency else { return nil }
            let values = [latency.p50, latency.p99, latency.p999, latency.max].map { Format.duration(microseconds: $0) }
            return
                "\(series.contender.name) p50 \(values[0]), p99 \(values[1]), p99.9 \(values[2]), longest \(values[3])"
        }
        return "\(comparison.setting.details). " + parts.joined(separator: "; ") + "."
    }
}

/// A measure against the number of entries, for settings that differ only in size. Throughput is drawn as the time of
/// an operation, so that lines rise with the cost whatever the measure.
struct SizePlot {
    let family: [Comparison]
    let measure: Measure

    private var isTimePerOperation: Bool { measure == .perSecond || measure == .settledPerSecond }

    private var title: String { isTimePerOperation ? "time per operation" : measure.title }

    var plot: LinePlot {
        let lines = lines
        let sizes = PlotScale.logarithmic(around: family.map { Double($0.setting.entries) })
        let values = PlotScale.logarithmic(around: lines.flatMap { $0.points.map(\.y) })
        return LinePlot(
            title: "\(family[0].setting.workload), \(title) against entries", description: description(lines),
            x: LinePlot.Axis(scale: sizes, ticks: sizes.ticks(7, label: Format.short), title: "entries"),
            y: LinePlot.Axis(scale: values, ticks: values.ticks(label: text), title: title), lines: lines,
            hasDots: true)
    }

    private var lines: [LinePlot.Line] {
        Set(family.flatMap { $0.series.map(\.contender) }).sorted().compactMap { contender in
            let points = family.compactMap { comparison -> LinePlot.Point? in
                guard let value = comparison.series(of: contender)?.median(measure), value > 0 else { return nil }
                let cost = isTimePerOperation ? 1e6 / value : value
                return LinePlot.Point(x: Double(comparison.setting.entries), y: cost)
            }
            return points.isEmpty ? nil : LinePlot.Line(contender: contender, points: points.sorted { $0.x < $1.x })
        }
    }

    private func text(_ value: Double) -> String {
        switch measure {
        case .perSecond, .settledPerSecond: Format.duration(microseconds: value)
        case .milliseconds: Format.duration(microseconds: value * 1e3)
        case .peakResidentBytes: Format.short(value / 1_048_576) + " MiB"
        default: Format.short(value)
        }
    }

    private func description(_ lines: [LinePlot.Line]) -> String {
        lines.map { line in
            line.contender.name + ": "
                + line.points.map { "\(text($0.y)) at \(Format.short($0.x))" }.joined(separator: ", ") + "."
        }.joined(separator: " ")
    }
}
