import Pages
import Shale

/// The page of `shale report`: one file without external resources.
struct StorePage {
    let path: Shown
    let made: Shown
    let statistics: StatsReport
    let scan: LiveScan
    /// The names of the namespaces shown, by their ids.
    let names: [UInt32: Shown]

    private static let namespacesMax = 24

    func html() -> String {
        Markup.page(
            title: path.text,
            metas: [
                tag(
                    "meta",
                    [
                        "http-equiv": "Content-Security-Policy",
                        "content": "default-src 'none'; style-src 'unsafe-inline'",
                    ]),
                tag("meta", ["name": "generator", "content": "shale report, schema \(schemaVersion)"]),
            ],
            style: PageStyle.text
        ) {
            tag("h1") { path }
            summary
            section("Levels", levels)
            section("Live, purgeable and dead bytes", bytes)
            section("Space by namespace", space)
            section("Sizes of values", sizes)
            section("Amplification", amplification)
            tag("p", ["class": "foot"]) { "\(made), by shale report." as Shown }
        }
    }

    private func section(_ title: Shown, _ content: Markup) -> Markup {
        tag("section") {
            tag("h2") { title }
            content
        }
    }

    private var summary: Markup {
        let figures: [(Shown, Shown)] = [
            ("entries", Figures.count(scan.total.entries)),
            ("of keys and values", Figures.bytes(scan.total.rawBytes)),
            ("in segments", Figures.bytes(statistics.storedBytes)),
            ("on disk", Figures.bytes(statistics.allocatedBytes)),
            ("namespaces", Figures.count(statistics.namespaces.count)),
        ]
        return tag("div", ["class": "figures"]) {
            for (name, value) in figures {
                tag("div") {
                    tag("b") { value }
                    tag("span") { name }
                }
            }
        }
    }

    private var levels: Markup {
        guard !statistics.levels.isEmpty else { return note("Everything is in the logs.") }
        let rows = statistics.levels.map { level in
            BarChart.Row(
                label: "L\(level.level)",
                parts: [
                    .init(
                        kind: "stored", value: Double(level.storedBytes),
                        title: "\(Figures.bytes(level.rawBytes)) before compression")
                ], note: "\(Figures.bytes(level.storedBytes)), \(Figures.count(level.segments, "segment"))")
        }
        return BarChart(rows: rows).markup("Stored bytes of each level")
    }

    /// Returns the raw bytes of live entries, of purgeable entries, and of versions that can't be read any more.
    private func parts(_ live: LiveScan.Live, all: UInt64) -> [BarChart.Part] {
        let kept = live.rawBytes - live.purgeableRawBytes
        let dead = all - min(all, live.rawBytes)
        return [("live" as Shown, kept), ("purgeable", live.purgeableRawBytes), ("dead", dead)].map { kind, bytes in
            BarChart.Part(kind: kind, value: Double(bytes), title: "\(kind): \(Figures.bytes(bytes))")
        }
    }

    private var bytes: Markup {
        let all = statistics.namespaces.reduce(0) { $0 + $1.rawBytes }
        let parts = parts(scan.total, all: all)
        let row = BarChart.Row(label: "raw bytes", parts: parts, note: Figures.bytes(all))
        return .group([
            BarChart(rows: [row]).markup("Live, purgeable and dead bytes"),
            tag("p") {
                for (index, part) in parts.enumerated() {
                    if index > 0 { " · " }
                    tag("span", ["class": "key \(part.kind)"]) { "\u{a0}" }
                    " \(part.title)" as Shown
                }
            },
        ])
    }

    private var space: Markup {
        let sorted = statistics.namespaces.sorted { ($0.rawBytes, $1.id) > ($1.rawBytes, $0.id) }
        guard !sorted.isEmpty else { return note("There is none.") }
        let rows = sorted.prefix(Self.namespacesMax).map { namespace in
            let live = scan.namespaces[.init(rawValue: namespace.id)] ?? .init()
            return BarChart.Row(
                label: names[namespace.id] ?? "(engine id \(namespace.id))",
                parts: parts(live, all: namespace.rawBytes),
                note: "\(Figures.bytes(namespace.rawBytes)), stored \(Figures.bytes(namespace.storedBytes))")
        }
        let rest = sorted.count - rows.count
        let chart = BarChart(rows: Array(rows)).markup("Raw bytes of each namespace")
        return .group([chart, rest > 0 ? note("and \(Figures.count(rest, "smaller one")).") : .none])
    }

    private var sizes: Markup {
        guard scan.total.entries > 0 else { return note("There are no values.") }
        let rows = scan.valueSizes.counts.enumerated().drop { $0.element == 0 }.map { bucket, count in
            let bounds = SizeHistogram.bounds(bucket)
            return BarChart.Row(
                label: bounds.count == 1
                    ? Figures.bytes(bounds.lowerBound)
                    : "\(Figures.bytes(bounds.lowerBound)) … \(Figures.bytes(bounds.upperBound))",
                parts: [.init(kind: "stored", value: Double(count), title: Figures.count(count, "value"))],
                note: Figures.count(count))
        }
        return BarChart(rows: rows).markup("Number of values of each size")
    }

    private var amplification: Markup {
        let figures = statistics.amplification
        let lines: [(name: Shown, factor: Shown, meaning: Shown)] = [
            ("read", Figures.count(figures.readRuns), "sorted runs that a read without filters would search"),
            (
                "space", figures.space.map { Figures.decimal($0, 2) } ?? "\u{a0}",
                "raw bytes per raw byte of the lowest level, which holds one version of a key"
            ),
            ("write", Figures.decimal(figures.writeAtLeast, 2), "bytes written per stored byte, at least"),
            ("compression", Figures.decimal(figures.compression, 2), "raw bytes per stored byte"),
        ]
        return tag("table") {
            tag("tr") {
                tag("th") { "\u{a0}" }
                tag("th", ["class": "n"]) { "Factor" }
                tag("th") { "Meaning" }
            }
            for line in lines {
                tag("tr") {
                    tag("td") { line.name }
                    tag("td", ["class": "n"]) { line.factor }
                    tag("td") { line.meaning }
                }
            }
        }
    }

    private func note(_ text: Shown) -> Markup { tag("p") { text } }
}

extension MarkupBuilder {
    /// Data enters a page as ``Shown``, so that characters that hide or reorder text are visible there too.
    static func buildExpression(_ text: Shown) -> Markup { .text(text.text) }
}

/// The style sheet of the page, in a light and a dark variant. It contains nothing that the page escapes.
private enum PageStyle {
    static let text = """
        :root { color-scheme: light dark; --ink: #1d2127; --soft: #606a76; --line: #d9dee4; --ground: #ffffff;
          --stored: #3566a8; --live: #2f7d4f; --purgeable: #c98a1b; --dead: #b0453a; }
        @media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --soft: #9aa4b0; --line: #353b43;
          --ground: #15181c; --stored: #6f9fe0; --live: #5cb883; --purgeable: #e0ae55; --dead: #e07f74; } }
        body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground);
          max-width: 800px; margin: 2em auto; padding: 0 1em; }
        h1 { font-size: 1.4em; overflow-wrap: anywhere; }
        h2 { font-size: 1.05em; margin: 2em 0 .5em; border-bottom: 1px solid var(--line); }
        svg { width: 100%; height: auto; font: 12px system-ui, sans-serif; fill: var(--ink); }
        svg .label { fill: var(--soft); }
        .stored { fill: var(--stored); background: var(--stored); }
        .live { fill: var(--live); background: var(--live); }
        .purgeable { fill: var(--purgeable); background: var(--purgeable); }
        .dead { fill: var(--dead); background: var(--dead); }
        .key { display: inline-block; width: .9em; height: .9em; border-radius: 2px; }
        .figures { display: flex; flex-wrap: wrap; gap: 1.5em; }
        .figures b { display: block; font-size: 1.3em; }
        .figures span, .foot { color: var(--soft); font-size: .9em; }
        table { border-collapse: collapse; }
        th, td { text-align: left; padding: .2em 1.2em .2em 0; border-bottom: 1px solid var(--line); }
        .n { text-align: right; font-variant-numeric: tabular-nums; }
        """
}

/// Horizontal bars of parts.
struct BarChart {
    struct Part {
        /// The class in the style sheet.
        let kind: Shown
        let value: Double
        /// The text shown when the pointer rests on the part.
        let title: Shown
    }

    struct Row {
        let label: Shown
        let parts: [Part]
        /// The text after the bar.
        let note: Shown
    }

    var rows: [Row]

    private static let width = 760.0
    private static let labelWidth = 190.0
    private static let noteWidth = 190.0
    private static let rowHeight = 26.0
    private static let labelMax = 26

    /// - Parameter description: The description for readers who can't see the chart.
    func markup(_ description: Shown) -> Markup {
        let longest = rows.map { $0.parts.reduce(0) { $0 + $1.value } }.max() ?? 0
        let room = Self.width - Self.labelWidth - Self.noteWidth
        let scale = longest > 0 ? room / longest : 0
        return SVG.drawing(description.text, width: Self.width, height: Double(rows.count) * Self.rowHeight) {
            for (index, row) in rows.enumerated() { draw(row, top: Double(index) * Self.rowHeight, scale) }
        }
    }

    private func draw(_ row: Row, top: Double, _ scale: Double) -> Markup {
        let baseline = top + 17
        let name = row.label.count > Self.labelMax ? row.label.prefix(Self.labelMax - 1) + "…" : row.label
        var pieces = [
            SVG.text(
                name.text, x: .pixels(Self.labelWidth - 8), y: baseline, anchor: "end", style: "label",
                title: row.label.text)
        ]
        var left = Self.labelWidth
        for part in row.parts where part.value > 0 {
            // Wide enough to be visible.
            let width = max(part.value * scale, 1)
            pieces.append(
                SVG.rect(
                    x: .pixels(left), y: top + 4, width: .pixels(width), height: 18, style: part.kind.text,
                    title: part.title.text))
            left += width
        }
        pieces.append(SVG.text(row.note.text, x: .pixels(left + 8), y: baseline))
        return .group(pieces)
    }
}
