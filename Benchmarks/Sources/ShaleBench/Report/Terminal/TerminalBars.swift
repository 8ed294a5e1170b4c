import Formatting

/// The bars on the terminal: met, missed and not measured, with the figures.
struct TerminalBars {
    let verdicts: [BarVerdict]

    var lines: [String] {
        ["", "Bars (medians): \(BarCount(verdicts).text)"] + verdicts.flatMap(lines)
    }

    private func lines(_ verdict: BarVerdict) -> [String] {
        let mark =
            switch verdict.outcome {
            case .met: "  met     "
            case .missed: "! MISSED  "
            case .notMeasured: "  -       "
            }
        let head = mark + verdict.name.padded(to: 50) + " " + verdict.bar.wanted
        guard verdict.value != nil || verdict.figures != "–" else { return [head] }
        return [head] + TerminalReport.wrap(verdict.figures, first: 12, indent: 14)
    }
}

/// The numbers of bars by outcome.
struct BarCount: Equatable {
    let met: Int
    let missed: Int
    let notMeasured: Int

    init(_ verdicts: [BarVerdict]) {
        met = verdicts.count { $0.outcome == .met }
        missed = verdicts.count { $0.outcome == .missed }
        notMeasured = verdicts.count { $0.outcome == .notMeasured }
    }

    var text: String { "\(met) met, \(missed) missed, \(notMeasured) not measured" }
}
