import Formatting
import Pages

/// One workload: bars and latency curves for each of its settings, then all medians as a table.
struct WorkloadSection {
    let workload: String
    let figures: Figures

    var section: Section {
        let comparisons = figures.comparisons(of: workload)
        return Section(
            id: "workload-\(workload)", title: workload,
            content: .group([
                tag("p", ["class": "quiet"]) { key(comparisons) },
                tag("div", ["class": "cards"]) { for comparison in comparisons { card(comparison) } },
                tag("details") {
                    tag("summary") { "All medians of \(workload) as a table" }
                    SettingsTable(comparisons: comparisons, caption: "Medians of \(workload)").markup
                },
            ]))
    }

    private func key(_ comparisons: [Comparison]) -> String {
        let isSettled = comparisons.contains { $0.series.contains { $0.spread(.settledPerSecond) != nil } }
        let bars =
            comparisons.contains(where: \.isOneStep)
            ? "Duration, less is better." : "Operations per second, more is better."
        return bars + (isSettled ? " Thick bars: acknowledged; thin bars and the figure after →: settled." : "")
            + " Whiskers: all repetitions."
    }

    private func card(_ comparison: Comparison) -> Markup {
        tag("figure", ["class": "card"]) {
            tag("figcaption") {
                tag("strong") { comparison.setting.details }
                if !comparison.losses.isEmpty {
                    tag("span", ["class": "lost"]) { "▲ Shale is \(comparison.lossText)" }
                }
            }
            tag("div", ["class": "pair"]) {
                BarChart(
                    comparison: comparison, measure: comparison.headline,
                    second: comparison.isOneStep ? nil : .settledPerSecond
                ).markup
                if let plot = LatencyPlot(comparison: comparison).plot { plot.markup }
            }
        }
    }
}

/// All figures of several settings: a line for each contender in each. Columns without any figure are omitted.
struct SettingsTable {
    let comparisons: [Comparison]
    let caption: String

    private struct Column: Sendable {
        let title: String
        let text: @Sendable (Comparison, Series) -> String?
    }

    var markup: Markup {
        let pairs = comparisons.flatMap { comparison in comparison.series.map { (comparison, $0) } }
        let columns = SettingsTable.columns.filter { column in pairs.contains { column.text($0.0, $0.1) != nil } }
        return HTMLTable(
            caption: caption, titles: ["Store", "Setting"] + columns.map(\.title),
            lines: pairs.map { comparison, series in
                let isAhead = comparison.losses.contains { $0.peer == series.contender }
                let style = series.contender.isShale ? "strong" : isAhead ? "missed" : ""
                return [
                    HTMLTable.Cell(text: (isAhead ? "▲ " : "") + series.contender.name, style: style),
                    HTMLTable.Cell(text: comparison.setting.details, style: "quiet"),
                ] + columns.map { HTMLTable.Cell(text: $0.text(comparison, series) ?? "–") }
            }, words: [0, 1]
        ).markup
    }

    private static let columns: [Column] =
        [Measure.milliseconds, .perSecond].flatMap(headline)
        + [median("Settled/s", .settledPerSecond), ratio("Shale, settled", .settledPerSecond)]
        + [
            median("p50", .p50), median("p99", .p99), median("p99.9", .p999), median("Longest", .longest),
            median("CPU", .cpuSeconds), median("Peak memory", .peakResidentBytes),
            median("Written / user", .writeAmplification), median("Disk", .diskBytes),
            median("Disk, settled", .settledDiskBytes), median("Space amp.", .spaceAmplification),
            Column(title: "Runs") { _, series in String(series.rows.count) },
            Column(title: "Notes") { _, series in
                series.notes.isEmpty ? nil : series.notes.joined(separator: "; ")
            },
        ]

    private static func headline(_ measure: Measure) -> [Column] {
        [
            median(measure == .perSecond ? "Ops/s" : "Duration", measure),
            Column(title: "Min to max") { _, series in
                series.spread(measure).map { "\(measure.text($0.min)) to \(measure.text($0.max))" }
            },
            ratio("Shale", measure),
        ]
    }

    private static func median(_ title: String, _ measure: Measure) -> Column {
        Column(title: title) { _, series in series.median(measure).map(measure.text) }
    }

    private static func ratio(_ title: String, _ measure: Measure) -> Column {
        Column(title: title) { comparison, series in
            guard !series.contender.isShale else { return nil }
            return comparison.ratio(measure, to: series.contender).map(Format.ratio)
        }
    }
}
