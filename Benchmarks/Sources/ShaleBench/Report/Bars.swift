/// The figures that the engine is meant to reach, and whether it did. Rates that depend on the machine are scaled by
/// how fast its `write(2)` is; both values are shown.
struct Bars {
    /// The machine for which the absolute bars were set.
    private static let referenceWritesPerSecond = 2_900_000.0

    private struct Bar: Encodable {
        let name: String
        let wanted: String
        let measured: String
        let verdict: String
    }

    let report: Report
    let writesPerSecond: Double

    func finish() throws {
        let bars = relative() + absolute() + large()
        print("\nBars (medians; absolute ones x \(Format.fixed(scale, 2)) = write roofline / 2.9 M/s, at most 1)")
        for bar in bars {
            print(
                "  " + Format.padded(bar.name, 30) + Format.padded(bar.wanted, 44) + Format.padded(bar.measured, 30)
                    + bar.verdict)
            try report.write("bar", bar)
        }
    }

    private var scale: Double { min(1, writesPerSecond / Bars.referenceWritesPerSecond) }

    private func relative() -> [Bar] {
        let bars = [
            ("fillseq", 0.5, "write(2)"), ("fillrandom", 0.35, "write(2)"), ("fillsync/1", 0.85, "fdatasync"),
            ("fillsync/4", 0.85, "fdatasync"), ("fillsync/16", 0.85, "fdatasync"),
        ]
        return bars.map { name, share, roofline in
            let rows = report.firstRows(of: name)
            let ratios = rows.compactMap(\.rooflineRatio)
            let wanted = ">= \(Format.fixed(share, 2)) x \(roofline)"
            guard !ratios.isEmpty else { return missing(name, wanted) }
            let rate = Format.grouped(rows.map(\.operationsPerSecond).median)
            return Bar(
                name: name, wanted: wanted, measured: "\(Format.fixed(ratios.median, 2)) x (\(rate)/s)",
                verdict: ratios.median >= share ? "pass" : "SHORT")
        }
    }

    private func absolute() -> [Bar] {
        [("readrandom", 600_000.0), ("readmissing", 1_000_000), ("readseq", 6_000_000)].map { name, bar in
            let rates = report.firstRows(of: name) { $0.threads == 1 && $0.isCached != false }.map(
                \.operationsPerSecond)
            let wanted = ">= \(Format.grouped(bar * scale))/s (unscaled \(Format.grouped(bar)))"
            guard !rates.isEmpty else { return missing(name + " (cached)", wanted) }
            return Bar(
                name: name + " (cached)", wanted: wanted, measured: Format.grouped(rates.median) + "/s",
                verdict: rates.median >= bar ? "pass" : rates.median >= bar * scale ? "pass (scaled)" : "SHORT")
        }
    }

    private func large() -> [Bar] {
        let name = "fillrandom, n = 10 000 000"
        let wanted = ">= 500 000/s, no write above 50 ms"
        let rows = report.firstRows(of: "fillrandom") { $0.entries >= 10_000_000 }
        guard !rows.isEmpty else { return [missing(name, wanted)] }
        let longest = rows.compactMap(\.latencyMicroseconds?.max).max() ?? 0
        let rate = rows.map(\.operationsPerSecond).median
        return [
            Bar(
                name: name, wanted: wanted,
                measured: "\(Format.grouped(rate))/s, \(Format.microseconds(longest))",
                verdict: rate >= 500_000 && longest <= 50_000 ? "pass" : "SHORT")
        ]
    }

    private func missing(_ name: String, _ wanted: String) -> Bar {
        Bar(name: name, wanted: wanted, measured: "not run", verdict: "-")
    }
}
