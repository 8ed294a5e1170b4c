import Formatting

/// The part of a run that README.md shows: the main workloads, and every workload in which a peer was faster.
struct Summary {
    /// The workloads that are shown whatever their result.
    private static let main: Set<String> = [
        "fillseq", "fillrandom", "fillbatch", "fillsync", "overwrite", "readrandom", "readmissing", "seekrandom",
        "readseq", "readwhilewriting", "ycsba", "ycsbb", "reopen", "typedset", "typedget",
    ]

    let figures: Figures

    /// The shown settings, in the order in which they ran.
    var comparisons: [Comparison] {
        figures.usual.filter { comparison in
            let setting = comparison.setting
            let isMain = Summary.main.contains(setting.workload) && setting.threads == 1 && setting.after != "compact"
            return isBehind(comparison) || isMain && best(comparison) != nil
        }
    }

    /// Returns true if a peer with the options of the bars was faster, acknowledged or settled.
    private func isBehind(_ comparison: Comparison) -> Bool {
        comparison.losses.contains { $0.peer.isUsual }
    }

    /// Returns the best peer by throughput or duration; `nil` if Shale or all peers were not measured.
    private func best(_ comparison: Comparison) -> (peer: Contender, ratio: Double)? {
        comparison.peers.compactMap { peer in
            comparison.ratio(comparison.headline, to: peer).map { (peer: peer, ratio: $0) }
        }.min { $0.ratio < $1.ratio }
    }

    /// The settings as a table in Markdown: Shale beside the best peer of each. Ratios below 1 are bold.
    var table: String {
        let lines = comparisons.map(line)
        return (["| workload | Shale | best other | ratio |", "|---|--:|--:|--:|"] + lines).joined(separator: "\n")
    }

    private func line(_ comparison: Comparison) -> String {
        let ours = figure(of: Contender(peer: Contender.shale), in: comparison)
        var cells = [comparison.setting.title(usualEntries: figures.usualEntries), ours, "–", "–"]
        if let best = best(comparison) {
            cells[2] = Summary.escaped(best.peer.name) + " " + figure(of: best.peer, in: comparison)
            cells[3] = ratio(best.ratio) + settled(comparison)
        }
        return "| " + cells.joined(separator: " | ") + " |"
    }

    private func figure(of contender: Contender, in comparison: Comparison) -> String {
        let measure = comparison.headline
        guard let value = comparison.series(of: contender)?.median(measure) else { return "–" }
        return measure.isBetterHigher ? Format.short(value) + "/s" : measure.text(value)
    }

    private func ratio(_ value: Double) -> String {
        value < 1 ? "**\(Format.ratio(value))**" : Format.ratio(value)
    }

    /// Returns the lowest ratio that counts the work left behind, if it is below 1 and acknowledged writes don't show
    /// it.
    private func settled(_ comparison: Comparison) -> String {
        let losses = comparison.losses.filter { $0.peer.isUsual }
        guard losses.allSatisfy({ $0.measure == .settledPerSecond }), let worst = losses.map(\.ratio).min() else {
            return ""
        }
        return " (settled \(ratio(worst)))"
    }

    /// The measurement's circumstances.
    var circumstances: String {
        let machine = figures.file.machine
        let counts = figures.repetitions
        let range = counts.lowerBound == counts.upperBound ? "" : "\(counts.lowerBound) to "
        let runs = counts.upperBound == 1 ? "one run" : "medians of \(range)\(counts.upperBound) runs"
        let text =
            "Revision \(machine.revision) on \(machine.date.prefix(10)): \(machine.cpu), \(machine.cores) cores, "
            + "\(Format.mebibytes(Double(machine.memoryBytes))), \(machine.fileSystem.prefix { $0 != " " }), "
            + "\(machine.compiler). \(Format.grouped(Double(figures.usualEntries))) entries with keys of 16 and values "
            + "of 100 bytes unless noted, \(runs)."
        return Summary.escaped(text)
    }

    /// Returns text that Markdown shows as it is, also in a table.
    private static func escaped(_ text: String) -> String {
        text.replacing("<", with: "&lt;").replacing("|", with: "\\|")
    }
}

extension Summary {
    private static let start = "<!-- benchmarks: written by Benchmarks/publish -->"
    private static let end = "<!-- /benchmarks -->"

    /// Returns the document with its part between the two comments replaced by the chart at `path`, the circumstances
    /// and the table. Throws if the document lacks the comments.
    func replacing(in document: String, chart path: String) throws(BenchError) -> String {
        let lines = document.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let first = lines.firstIndex(of: Summary.start), let last = lines.firstIndex(of: Summary.end),
            first < last
        else { throw BenchError("no place for the benchmarks: \(Summary.start) and, below it, \(Summary.end)") }
        let image = "![Shale's ratio to each peer, by workload](\(path))"
        let key = "Right of 1× Shale is faster. ▲ and bold ratios mark workloads in which another store is."
        let part = [image, key, table, circumstances].joined(separator: "\n\n")
        return (lines[...first] + [part] + lines[last...]).joined(separator: "\n")
    }
}
