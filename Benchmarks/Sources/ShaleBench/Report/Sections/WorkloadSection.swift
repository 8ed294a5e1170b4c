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
