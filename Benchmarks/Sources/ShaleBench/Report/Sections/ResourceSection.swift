import Formatting
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

/// Growth with the data: durations of single steps and throughput against the number of entries.
struct SizeSection {
    let figures: Figures

    var section: Section {
        let families = families
        return Section(
            id: "size", title: "Cost against data size",
            content: .group([
                tag("p") {
                    "Everything that was measured at more than one size. Both axes are logarithmic: a flat line is a "
                        + "cost that doesn't grow with the data."
                },
                families.isEmpty
                    ? tag("p") { "Nothing was measured at more than one size in this run." }
                    : tag("div", ["class": "cards"]) { for family in families { card(family) } },
            ]))
    }

    /// The families, with single steps first.
    private var families: [[Comparison]] {
        let all = figures.sizeFamilies
        return all.filter { $0[0].isOneStep } + all.filter { !$0[0].isOneStep }
    }

    private func card(_ family: [Comparison]) -> Markup { SizeCard(family: family, measure: family[0].headline).markup }
}

/// A measure against size, under the properties that all sizes share.
struct SizeCard {
    let family: [Comparison]
    let measure: Measure

    var markup: Markup {
        let setting = family[0].setting
        var parts = ["\(setting.keyBytes) + \(Format.bytes(setting.valueBytes))"]
        if setting.threads > 1 { parts.append("\(setting.threads) threads") }
        if !setting.after.isEmpty { parts.append("after \(setting.after)") }
        return tag("figure", ["class": "card"]) {
            tag("figcaption") {
                tag("strong") { setting.workload }
                tag("span", ["class": "quiet"]) { " " + parts.joined(separator: ", ") }
            }
            SizePlot(family: family, measure: measure).plot.markup
        }
    }
}
