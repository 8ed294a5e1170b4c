import Pages

/// Memory, bytes written and disk space: the cost of the throughput.
struct ResourceSection {
    let figures: Figures

    var section: Section {
        Section(
            id: "resources", title: "Memory, writes and disk",
            content: .group([
                part(
                    .peakResidentBytes,
                    "Of the whole process. Shale is given a memory budget and is held to it; for memory-mapped "
                        + "stores this counts the pages of the file that were touched."),
                part(
                    .writeAmplification,
                    "Bytes that the process had the kernel write until the store had settled, for each byte of user "
                        + "data."
                ),
                part(
                    .settledDiskBytes,
                    "Bytes that the files of the store occupy when the background has nothing left to do."),
            ]))
    }

    private func part(_ measure: Measure, _ text: String) -> Markup {
        let all = figures.comparisons.filter { $0.series.contains { $0.median(measure) != nil } }
        guard !all.isEmpty else { return .none }
        let largest = figures.workloads.filter { $0.hasPrefix("fill") || $0 == "overwrite" }.compactMap { workload in
            all.filter { $0.setting.workload == workload }.max { $0.setting.entries < $1.setting.entries }
        }
        return .group([
            tag("h3") { measure.title.prefix(1).uppercased() + measure.title.dropFirst() },
            tag("p") { text },
            tag("div", ["class": "cards"]) { for comparison in largest { card(comparison, measure) } },
            bySize(measure),
            tag("details") {
                tag("summary") { "All settings as a table" }
                table(all, measure)
            },
        ])
    }

    /// Plots memory by size, because it must not grow with the data.
    private func bySize(_ measure: Measure) -> Markup {
        guard measure == .peakResidentBytes else { return .none }
        let families = figures.sizeFamilies.filter { family in
            !family[0].isOneStep && family.contains { $0.series.contains { $0.median(measure) != nil } }
        }
        return tag("div", ["class": "cards"]) {
            for family in families { SizeCard(family: family, measure: measure).markup }
        }
    }

    private func card(_ comparison: Comparison, _ measure: Measure) -> Markup {
        tag("figure", ["class": "card"]) {
            tag("figcaption") {
                tag("strong") { comparison.setting.workload }
                tag("span", ["class": "quiet"]) { " " + comparison.setting.details }
            }
            BarChart(comparison: comparison, measure: measure).markup
        }
    }

    private func table(_ comparisons: [Comparison], _ measure: Measure) -> Markup {
        let contenders = figures.contenders.filter { contender in
            comparisons.contains { $0.series(of: contender)?.median(measure) != nil }
        }
        return HTMLTable(
            caption: measure.title, titles: ["Workload", "Setting"] + contenders.map(\.name),
            lines: comparisons.map { comparison in
                [
                    HTMLTable.Cell(text: comparison.setting.workload),
                    HTMLTable.Cell(text: comparison.setting.details, style: "quiet"),
                ]
                    + contenders.map { contender in
                        HTMLTable.Cell(text: comparison.series(of: contender)?.median(measure).map(measure.text) ?? "–")
                    }
            }, words: [0, 1]
        ).markup
    }
}
