import Formatting

/// The output during a run: a line for each row as soon as it is measured.
enum Progress {
    static func heading() -> String {
        line(["run", "peer", "workload", "n", "thr", "ops/s", "settled/s", "p50", "p99", "p99.9", "max"])
    }

    static func text(_ row: ResultRow) -> String {
        let peer = row.peer + (row.variant.isEmpty ? "" : "/" + row.variant)
        let workload = row.workload + (row.after == "compact" && row.workload != "compact" ? " (compacted)" : "")
        let rate = row.milliseconds.map { Format.fixed($0, 2) + " ms" } ?? Format.grouped(row.perSecond)
        let settled = row.settledPerSecond.map { row.milliseconds == nil ? Format.grouped($0) : "-" } ?? "-"
        let latency = row.latency.map { [$0.p50, $0.p99, $0.p999, $0.max].map(Format.microseconds) }
        return line(
            [
                row.run < 0 ? "warm" : String(row.run), peer, workload, Format.grouped(Double(row.entries)),
                String(row.threads), rate, settled,
            ] + (latency ?? ["-", "-", "-", "-"]))
    }

    private static let widths = [4, 20, 24, 10, 3, 13, 12, 9, 9, 9, 9]

    private static func line(_ cells: [String]) -> String {
        zip(cells, widths).enumerated().map { index, cell in
            index == 1 || index == 2 ? cell.0.padded(to: cell.1) : cell.0.paddedLeft(to: cell.1)
        }.joined(separator: " ")
    }
}
