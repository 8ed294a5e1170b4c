import Formatting
import Pages

/// A chart of Shale's ratio to each peer: a line for each setting with a dot for each peer, on a logarithmic axis.
struct RatioChart {
    static let lineHeight = 34.0

    /// The settings that some peer was measured in.
    private let lines: [Line]
    /// The number of entries that needs no mention.
    private let usualEntries: Int

    private struct Line {
        let comparison: Comparison
        let ratios: [(peer: Contender, ratio: Double)]
    }

    init(comparisons: [Comparison], usualEntries: Int) {
        lines = comparisons.compactMap(RatioChart.line)
        self.usualEntries = usualEntries
    }

    private static func line(_ comparison: Comparison) -> Line? {
        let ratios = comparison.peers.compactMap { peer in
            comparison.ratio(comparison.headline, to: peer).map { (peer: peer, ratio: $0) }
        }
        return ratios.isEmpty ? nil : Line(comparison: comparison, ratios: ratios)
    }

    /// The peers that have dots, in the order of all tables and charts.
    var peers: [Contender] { Set(lines.flatMap { $0.ratios.map(\.peer) }).sorted() }

    var height: Double { RatioChart.lineHeight * Double(lines.count) + 20 }

    var markup: Markup {
        let ratios = lines.flatMap { $0.ratios.map(\.ratio) }
        let scale = PlotScale.logarithmic(around: ratios.map { min(max($0, 0.1), 100) } + [0.5, 2])
        return SVG.chart(
            "Ratio of Shale to each peer, by workload",
            description: lines.map(text).joined(separator: " "), height: height
        ) {
            for tick in scale.ticks(6, label: Format.ratio) {
                SVG.line(
                    x1: .part(scale.position(tick.value)), y1: 16, x2: .part(scale.position(tick.value)), y2: height,
                    style: tick.value == 1 ? "even" : "grid")
                SVG.text(
                    Format.digits(tick.value) + "×",
                    x: .part(scale.position(tick.value)), y: 10,
                    anchor: tick.value == scale.low ? "start" : tick.value == scale.high ? "end" : "middle",
                    style: "tick")
            }
            for (index, line) in lines.enumerated() {
                draw(line, top: 20 + Double(index) * RatioChart.lineHeight, scale)
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
        (line.comparison.losses.isEmpty ? "" : "▲ ") + line.comparison.setting.title(usualEntries: usualEntries)
    }

    private func text(_ line: Line) -> String {
        "\(title(line)): " + line.ratios.map { "\(Format.ratio($0.ratio)) \($0.peer.name)" }.joined(separator: ", ")
            + "."
    }
}

extension Comparison {
    /// Each peer once, with those of its usual options that were better by the headline.
    var peers: [Contender] {
        let usual = series.filter { !$0.contender.isShale && !$0.contender.isYardstick && $0.contender.isUsual }
        return Dictionary(grouping: usual, by: \.contender.peer).values.compactMap { series in
            series.max { isWorse($0.median(headline), than: $1.median(headline)) }?.contender
        }.sorted()
    }

    private func isWorse(_ value: Double?, than other: Double?) -> Bool {
        guard let value, let other else { return value == nil && other != nil }
        return headline.isBetterHigher ? value < other : value > other
    }
}

extension Setting {
    /// `readrandom, 2 threads`: the workload, and what differs from the usual setting.
    func title(usualEntries: Int) -> String {
        var parts = [workload]
        if threads > 1 { parts.append("\(threads) threads") }
        if !after.isEmpty { parts.append("after \(after)") }
        if let memoryLimit { parts.append("in \(Format.mebibytes(Double(memoryLimit)))") }
        if entries != usualEntries { parts.append("n = \(Format.short(Double(entries)))") }
        return parts.joined(separator: ", ")
    }
}

extension Figures {
    /// The size at which most workloads ran.
    var usualEntries: Int {
        let counts = Dictionary(grouping: comparisons, by: \.setting.entries).mapValues {
            Set($0.map(\.setting.workload)).count
        }
        return counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key ?? 0
    }

    /// The comparisons that stand for a workload: those of ``usualEntries`` with values of 100 bytes, or of the largest
    /// size if there are none. Loads at a fixed rate are left out.
    var usual: [Comparison] {
        let size = usualEntries
        return workloads.flatMap { workload in
            let all = comparisons(of: workload).filter { $0.setting.rate == nil }
            let usual = all.filter { $0.setting.entries == size && $0.setting.valueBytes == 100 }
            let largest = all.map(\.setting.entries).max()
            return usual.isEmpty ? all.filter { $0.setting.entries == largest } : usual
        }
    }
}
