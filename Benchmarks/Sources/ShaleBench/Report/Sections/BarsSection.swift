import Pages

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
