import Formatting
import Pages

/// An overview of Shale's ratio to each peer in every workload.
struct OverviewSection {
    let figures: Figures

    var section: Section {
        let chart = RatioChart(comparisons: figures.usual, usualEntries: figures.usualEntries)
        return Section(
            id: "overview", title: "Overview",
            content: .group([
                tag("p") {
                    "How many times faster Shale was than each peer, by median throughput or duration, at n = "
                        + "\(Format.grouped(Double(figures.usualEntries))) where it was measured, otherwise at the "
                        + "largest n. Right of 1× Shale was faster. The axis is logarithmic; what lies beyond it is "
                        + "drawn at its end."
                },
                tag("figure", ["class": "card wide"]) {
                    Palette.legend(chart.peers, ofDots: true)
                    chart.markup
                },
            ]))
    }
}

/// The verdicts on all bars.
struct BarsSection {
    let verdicts: [BarVerdict]

    var section: Section {
        Section(
            id: "bars", title: "Bars",
            content: .group([
                tag("p") {
                    "What Shale is meant to reach, held against the medians of this run: \(BarCount(verdicts).text)."
                },
                HTMLTable(
                    caption: "Bars and verdicts", titles: ["Workload", "Bar", "Verdict", "Figures"],
                    lines: verdicts.map(line),
                    words: [0, 1, 2, 3], isStacked: true
                ).markup,
            ]))
    }

    private func line(_ verdict: BarVerdict) -> [HTMLTable.Cell] {
        let mark =
            switch verdict.outcome {
            case .met: ("✓ met", "met")
            case .missed: ("▲ missed", "missed")
            case .notMeasured: ("not measured", "unknown")
            }
        return [
            HTMLTable.Cell(text: verdict.name), HTMLTable.Cell(text: verdict.bar.wanted),
            HTMLTable.Cell(text: mark.0, style: mark.1), HTMLTable.Cell(text: verdict.figures, style: "figures"),
        ]
    }
}
