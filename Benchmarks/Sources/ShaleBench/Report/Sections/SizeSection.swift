import Formatting
import Pages

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
