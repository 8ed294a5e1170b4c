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
        let sections = [
            summary, section("Levels", levels), section("Live, purgeable and dead bytes", bytes),
            section("Space by namespace", space), section("Sizes of values", sizes),
            section("Amplification", amplification),
        ]
        return """
            <!DOCTYPE html>
            <html xmlns="http://www.w3.org/1999/xhtml" lang="en">
            <head>
            <meta charset="utf-8"/>
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
            <meta name="viewport" content="width=device-width, initial-scale=1"/>
            <meta name="generator" content="shale report, schema \(schemaVersion)"/>
            <title>\(Markup.text(path))</title>
            <style>
            \(PageStyle.text)
            </style>
            </head>
            <body>
            <h1>\(Markup.text(path))</h1>
            \(sections.joined(separator: "\n"))
            <p class="foot">\(Markup.text(made)), by shale report.</p>
            </body>
            </html>

            """
    }

    private func section(_ title: Shown, _ content: String) -> String {
        Markup.element("section", [], Markup.element("h2", [], Markup.text(title)) + "\n" + content)
    }

    private var summary: String {
        let figures: [(Shown, Shown)] = [
            ("entries", Figures.count(scan.total.entries)),
            ("of keys and values", Figures.bytes(scan.total.rawBytes)),
            ("in segments", Figures.bytes(statistics.storedBytes)),
            ("on disk", Figures.bytes(statistics.allocatedBytes)),
            ("namespaces", Figures.count(statistics.namespaces.count)),
        ]
        let boxes = figures.map {
            Markup.element(
                "div", [], Markup.element("b", [], Markup.text($1)) + Markup.element("span", [], Markup.text($0)))
        }
        return Markup.element("div", [("class", "figures")], boxes.joined(separator: "\n"))
    }

    private var levels: String {
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
        return BarChart(rows: rows).svg("Stored bytes of each level")
    }

    /// Returns the raw bytes of live entries, of purgeable entries, and of versions that can't be read any more.
    private func parts(_ live: LiveScan.Live, all: UInt64) -> [BarChart.Part] {
        let kept = live.rawBytes - live.purgeableRawBytes
        let dead = all - min(all, live.rawBytes)
        return [("live" as Shown, kept), ("purgeable", live.purgeableRawBytes), ("dead", dead)].map { kind, bytes in
            BarChart.Part(kind: kind, value: Double(bytes), title: "\(kind): \(Figures.bytes(bytes))")
        }
    }

    private var bytes: String {
        let all = statistics.namespaces.reduce(0) { $0 + $1.rawBytes }
        let parts = parts(scan.total, all: all)
        let legend = parts.map { part in
            Markup.element("span", [("class", "key \(part.kind)")], "\u{a0}") + " " + Markup.text(part.title)
        }
        let row = BarChart.Row(label: "raw bytes", parts: parts, note: Figures.bytes(all))
        return BarChart(rows: [row]).svg("Live, purgeable and dead bytes")
            + Markup.element("p", [], legend.joined(separator: " · "))
    }

    private var space: String {
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
        return BarChart(rows: Array(rows)).svg("Raw bytes of each namespace")
            + (rest > 0 ? note("and \(Figures.count(rest, "smaller one")).") : "")
    }

    private var sizes: String {
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
        return BarChart(rows: rows).svg("Number of values of each size")
    }

    private var amplification: String {
        let figures = statistics.amplification
        let rows: [[Shown]] = [
            ["", "Factor", "Meaning"],
            ["read", Figures.count(figures.readRuns), "sorted runs that a read without filters would search"],
            [
                "space", figures.space.map { Figures.decimal($0, 2) } ?? "",
                "raw bytes per raw byte of the lowest level, which holds one version of a key",
            ],
            [
                "write", Figures.decimal(figures.writeAtLeast, 2),
                "bytes written per stored byte, at least",
            ],
            ["compression", Figures.decimal(figures.compression, 2), "raw bytes per stored byte"],
        ]
        return Markup.table(rows, rightAligned: [1])
    }

    private func note(_ text: Shown) -> String { Markup.element("p", [], Markup.text(text)) }
}
