import Formatting

/// The report on the terminal: the machine, a table for each setting, and the bars. At most 120 columns wide.
struct TerminalReport {
    let figures: Figures
    let verdicts: [BarVerdict]

    var lines: [String] {
        machine + workloads + TerminalBars(verdicts: verdicts).lines
    }

    private var machine: [String] {
        let machine = figures.file.machine
        let versions = machine.versions.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return [
            "machine   \(machine.cpu), \(machine.cores) cores, \(Format.mebibytes(Double(machine.memoryBytes)))",
            "kernel    \(machine.kernel); \(machine.fileSystem) on \(machine.device)",
            "fsync     p50 \(Format.duration(microseconds: machine.fsyncMicroseconds.p50)), "
                + "p99 \(Format.duration(microseconds: machine.fsyncMicroseconds.p99))",
            "built     \(machine.compiler); \(machine.flags); revision \(machine.revision)",
            "versions  \(versions.joined(separator: ", "))",
            "run       \(machine.preset), \(machine.date); \(Method.repetitions(figures))",
            "columns   medians; ±% is the repetition farthest from the median; × is Shale against that peer, more is",
            "          better for Shale; ! marks a peer that was ahead of Shale",
        ]
    }

    private var workloads: [String] {
        figures.comparisons.flatMap { comparison -> [String] in
            let setting = comparison.setting
            let loss = comparison.losses.isEmpty ? "" : "; ! \(comparison.lossText)"
            return [""] + TerminalReport.wrap("\(setting.workload): \(setting.details)\(loss)")
                + ComparisonTable(comparison).lines
        }
    }

    /// Breaks a text at spaces into lines of at most ``TextTable/widthMax`` characters. `first` and `indent` are the
    /// numbers of spaces before the first line and the others.
    static func wrap(_ text: String, first: Int = 0, indent: Int = 4) -> [String] {
        var lines: [String] = []
        var line = String(repeating: " ", count: first)
        for word in text.split(separator: " ") {
            if line.count + word.count + 1 > TextTable.widthMax {
                lines.append(line)
                line = String(repeating: " ", count: indent) + word
            } else {
                line += (line.allSatisfy { $0 == " " } ? "" : " ") + word
            }
        }
        return lines + [line]
    }
}

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
