import Formatting
import Pages

/// An overview of Shale's ratio to each peer in every workload.
struct OverviewSection {
    let figures: Figures

    private static let height = 34.0

    var section: Section {
        Section(
            id: "overview", title: "Overview",
            content: .group([
                tag("p") {
                    "How many times faster Shale was than each peer, by median throughput or duration, at n = "
                        + "\(Format.grouped(Double(size))) where it was measured, otherwise at the largest n. Right of "
                        + "1× Shale was faster. The axis is logarithmic; what lies beyond it is drawn at its end."
                },
                tag("figure", ["class": "card wide"]) {
                    Palette.legend(peers, ofDots: true)
                    chart
                },
            ]))
    }

    private struct Line {
        let comparison: Comparison
        let ratios: [(peer: Contender, ratio: Double)]
    }

    /// The size at which most workloads ran.
    private var size: Int {
        let counts = Dictionary(grouping: figures.comparisons, by: \.setting.entries).mapValues {
            Set($0.map(\.setting.workload)).count
        }
        return counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key ?? 0
    }

    private var lines: [Line] {
        figures.workloads.flatMap { workload in
            let all = figures.comparisons(of: workload).filter { $0.setting.rate == nil }
            let usual = all.filter { $0.setting.entries == size && $0.setting.valueBytes == 100 }
            let largest = all.map(\.setting.entries).max()
            return (usual.isEmpty ? all.filter { $0.setting.entries == largest } : usual).compactMap(line)
        }
    }

    private func line(_ comparison: Comparison) -> Line? {
        let ratios = comparison.series.map(\.contender).filter { !$0.isShale && !$0.isYardstick && $0.variant.isEmpty }
            .compactMap {
                peer in
                comparison.ratio(comparison.headline, to: peer).map { (peer: peer, ratio: $0) }
            }
        return ratios.isEmpty ? nil : Line(comparison: comparison, ratios: ratios)
    }

    private var peers: [Contender] { Set(lines.flatMap { $0.ratios.map(\.peer) }).sorted() }

    private var chart: Markup {
        let lines = lines
        let ratios = lines.flatMap { $0.ratios.map(\.ratio) }
        let scale = PlotScale.logarithmic(around: ratios.map { min(max($0, 0.1), 100) } + [0.5, 2])
        let depth = OverviewSection.height * Double(lines.count)
        return SVG.chart(
            "Ratio of Shale to each peer, by workload",
            description: lines.map(text).joined(separator: " "), height: depth + 20
        ) {
            for tick in scale.ticks(6, label: Format.ratio) {
                SVG.line(
                    x1: .part(scale.position(tick.value)), y1: 16, x2: .part(scale.position(tick.value)),
                    y2: depth + 20,
                    style: tick.value == 1 ? "even" : "grid")
                SVG.text(
                    Format.digits(tick.value) + "×",
                    x: .part(scale.position(tick.value)), y: 10,
                    anchor: tick.value == scale.low ? "start" : tick.value == scale.high ? "end" : "middle",
                    style: "tick")
            }
            for (index, line) in lines.enumerated() {
                draw(line, top: 20 + Double(index) * OverviewSection.height, scale)
            }
        }
    }

    private func draw(_ line: Line, top: Double, _ scale: PlotScale) -> Markup {
        let positions = line.ratios.map { scale.position($0.ratio) } + [scale.position(1)]
        let y = top + 23
        return tag("g") {
            SVG.text(
                title(line), x: 0, y: top + 12, style: line.comparison.losses.isEmpty ? "name halo" : "name ahead halo")
            SVG.line(x1: .part(positions.min() ?? 0), y1: y, x2: .part(positions.max() ?? 0), y2: y, style: "range")
            for (peer, ratio) in line.ratios {
                SVG.dot(
                    x: .part(scale.position(ratio)), y: y, radius: 5, style: "dot " + Palette.style(peer),
                    title: "\(title(line)): Shale \(Format.ratio(ratio)) \(peer.name)")
            }
        }
    }

    private func title(_ line: Line) -> String {
        let setting = line.comparison.setting
        var parts = [setting.workload]
        if setting.threads > 1 { parts.append("\(setting.threads) threads") }
        if !setting.after.isEmpty { parts.append("after \(setting.after)") }
        if setting.entries != size { parts.append("n = \(Format.short(Double(setting.entries)))") }
        return (line.comparison.losses.isEmpty ? "" : "▲ ") + parts.joined(separator: ", ")
    }

    private func text(_ line: Line) -> String {
        "\(title(line)): " + line.ratios.map { "\(Format.ratio($0.ratio)) \($0.peer.name)" }.joined(separator: ", ")
            + "."
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
