import Formatting
import Pages

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
