import Formatting

/// One setting as a table: a line for each contender.
struct ComparisonTable {
    private let comparison: Comparison

    init(_ comparison: Comparison) { self.comparison = comparison }

    var lines: [String] { TextTable([names] + headline + latencies + costs).lines }

    private var names: TextTable.Column {
        let losers = Set(comparison.losses.map(\.peer))
        return TextTable.Column(
            title: "  store", isText: true,
            cells: comparison.series.map { (losers.contains($0.contender) ? "! " : "  ") + $0.contender.name })
    }

    private var headline: [TextTable.Column] {
        guard !comparison.isOneStep else {
            return [
                column("time") { $0.median(.milliseconds).map { tight(Format.milliseconds($0)) } },
                deviation(.milliseconds),
                ratio("×", .milliseconds),
            ]
        }
        return [
            column("ops/s") { $0.median(.perSecond).map { tight(Format.short($0)) } }, deviation(.perSecond),
            ratio("×", .perSecond),
            column("settled/s") { $0.median(.settledPerSecond).map { tight(Format.short($0)) } },
            ratio("×", .settledPerSecond),
        ]
    }

    private var latencies: [TextTable.Column] {
        [("p50", Measure.p50), ("p99", .p99), ("p99.9", .p999), ("max", .longest)].map { title, measure in
            column(title) { $0.median(measure).map { tight(Format.duration(microseconds: $0)) } }
        }
    }

    private var costs: [TextTable.Column] {
        [
            column("cpu s") { $0.median(.cpuSeconds).map { Format.fixed($0, $0 < 9.995 ? 2 : $0 < 99.95 ? 1 : 0) } },
            column("MiB") { $0.median(.peakResidentBytes).map { Format.fixed($0 / 1_048_576, 0) } },
            column("w-amp") { $0.median(.writeAmplification).map { Format.fixed($0, 2) } },
            column("disk MB") {
                ($0.median(.settledDiskBytes) ?? $0.median(.diskBytes)).map { Format.fixed($0 / 1e6, 0) }
            },
        ]
    }

    private func deviation(_ measure: Measure) -> TextTable.Column {
        column("±%") { $0.spread(measure)?.deviation.map { Format.fixed($0 * 100, 0) } }
    }

    private func ratio(_ title: String, _ measure: Measure) -> TextTable.Column {
        column(title) { series in
            guard !series.contender.isShale else { return nil }
            return comparison.ratio(measure, to: series.contender).map { String(Format.ratio($0).dropLast()) }
        }
    }

    /// Removes the space before the unit.
    private func tight(_ text: String) -> String { text.filter { $0 != "\u{A0}" } }

    private func column(_ title: String, _ cell: (Series) -> String?) -> TextTable.Column {
        TextTable.Column(title: title, cells: comparison.series.map { cell($0) ?? "-" })
    }
}

/// Rows of cells under titles, for the terminal. Columns in which nothing was measured are omitted.
struct TextTable {
    struct Column {
        let title: String
        var isText = false
        let cells: [String]

        var width: Int { max(title.count, cells.map(\.count).max() ?? 0) }
        /// True if nothing was measured: all cells are empty or `-`.
        var isEmpty: Bool { cells.allSatisfy { $0.isEmpty || $0 == "-" } }
    }

    /// The maximal width of a line in characters.
    static let widthMax = 120

    let columns: [Column]
    /// Two spaces, or one if the lines would be too wide.
    private let gap: String

    init(_ columns: [Column]) {
        self.columns = columns.filter { !$0.isEmpty }
        let width = self.columns.reduce(0) { $0 + $1.width + 2 }
        gap = width - 2 > TextTable.widthMax ? " " : "  "
    }

    var lines: [String] {
        let count = columns.map(\.cells.count).max() ?? 0
        return [line { $0.title }] + (0..<count).map { index in line { $0.cells[index] } }
    }

    private func line(_ cell: (Column) -> String) -> String {
        let cells = columns.map { column in
            column.isText ? cell(column).padded(to: column.width) : cell(column).paddedLeft(to: column.width)
        }
        let line = cells.joined(separator: gap)
        return String(line.reversed().drop { $0 == " " }.reversed())
    }
}
