/// Prints rows as they come: a line of figures, and a second one for what only some workloads have.
enum Table {
    private static let widths = [18, 4, 12, 8, 10, 10, 10, 10, 8, 8]

    static func printHeading() {
        let titles = ["workload", "thr", "ops/s", "x roof", "p50", "p99", "p99.9", "max", "cpu s", "RSS MB"]
        print(line(titles))
        print(String(repeating: "-", count: widths.reduce(0, +) + widths.count - 1))
    }

    static func print(_ row: Row) {
        let latency = row.latencyMicroseconds
        let percentiles = [latency?.p50, latency?.p99, latency?.p999, latency?.max].map { value in
            value.map(Format.microseconds) ?? "-"
        }
        let rate = latency == nil ? "-" : Format.grouped(row.operationsPerSecond)
        let ratio = row.rooflineRatio.map { Format.fixed($0, 2) } ?? "-"
        print(
            line(
                [row.workload, String(row.threads), rate, ratio] + percentiles
                    + [Format.fixed(row.cpuSeconds, 2), Format.fixed(Double(row.peakResidentBytes) / 1e6, 0)]))
        let details = details(row)
        if !details.isEmpty { print("    " + details.joined(separator: "; ")) }
    }

    private static func details(_ row: Row) -> [String] {
        var parts: [String] = []
        if let roofline = row.roofline { parts.append("\(roofline.name) \(Format.grouped(roofline.perSecond))/s") }
        if let settled = row.settled {
            let rate = Format.grouped(Double(row.operations) / (row.seconds + settled.seconds))
            parts.append(
                "settled after +\(Format.seconds(settled.seconds)) (\(rate)/s, cpu +\(Format.fixed(settled.cpuSeconds, 2)) s)"
            )
        }
        if let written = row.bytesWrittenPerUserByte { parts.append("written/user \(Format.fixed(written, 2))") }
        if let disk = row.diskBytes {
            let settled =
                row.settled.map { settled in
                    " -> \(Format.megabytes(settled.diskBytes)) (segments \(Format.megabytes(settled.segmentBytes)))"
                } ?? ""
            parts.append("disk \(Format.megabytes(disk))\(settled)")
        }
        if let stalls = row.stalls {
            let stopped = "stopped \(stalls.stoppedWrites) (\(Format.seconds(stalls.stopSeconds)))"
            let longest = "longest since open \(Format.seconds(stalls.longestSeconds))"
            parts.append(
                "delayed \(stalls.delayedWrites) (\(Format.seconds(stalls.delaySeconds))), \(stopped), \(longest)")
        }
        if let tree = row.tree { parts.append("tree \(tree)") }
        if let isCached = row.isCached { parts.append(isCached ? "cached" : "larger than the cache") }
        if let note = row.note { parts.append(note) }
        return parts
    }

    private static func line(_ cells: [String]) -> String {
        zip(cells, widths).enumerated().map { index, cell in
            index == 0 ? Format.padded(cell.0, cell.1) : Format.right(cell.0, cell.1)
        }.joined(separator: " ")
    }

    private static func print(_ text: String) { Swift.print(text) }
}
