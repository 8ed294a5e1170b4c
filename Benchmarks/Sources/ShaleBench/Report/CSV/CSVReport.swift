import Formatting
import Pages

/// The rows of a result file as CSV: a header, then a line per row in file order,
/// including warm-ups. Only the result file has latency curves and timelines.
enum CSVReport {
    static func text(_ rows: [ResultRow]) -> String {
        ([CSV.line(CSVColumn.all.map(\.name))] + rows.map(line)).map { $0 + "\n" }.joined()
    }

    static func line(_ row: ResultRow) -> String { CSV.line(CSVColumn.all.map { CSV.inert($0.value(row)) }) }
}

/// A column of the CSV file: its name in the header, its meaning, and its value for a row.
struct CSVColumn: Sendable {
    let name: String
    let meaning: String
    /// Returns the cell; empty if it was not measured.
    let value: @Sendable (ResultRow) -> String

    private init(_ name: String, _ meaning: String, _ value: @escaping @Sendable (ResultRow) -> String) {
        self.name = name
        self.meaning = meaning
        self.value = value
    }

    private static func number(_ value: Double?) -> String {
        guard let value, value.isFinite else { return "" }
        return Format.trimmed(value, 6)
    }

    private static func number(_ value: Int?) -> String { value.map { String($0) } ?? "" }

    /// The columns in file order. New ones are appended, so that scripts that count columns still work.
    static let all: [CSVColumn] = identity + work + costs

    private static let identity: [CSVColumn] = [
        CSVColumn("run", "repetition from 0; -1 is a warm-up, which the report leaves out") { number($0.run) },
        CSVColumn("peer", "store") { $0.peer },
        CSVColumn("variant", "set of options; empty for the usual one") { $0.variant },
        CSVColumn("workload", "db_bench's name") { $0.workload },
        CSVColumn("after", "what the store went through before") { $0.after },
        CSVColumn("entries", "entries in the store") { number($0.entries) },
        CSVColumn("key_bytes", "bytes of a key") { number($0.keyBytes) },
        CSVColumn("value_bytes", "bytes of a value") { number($0.valueBytes) },
        CSVColumn("threads", "threads of the workload") { number($0.threads) },
        CSVColumn("paced_per_second", "operations due per second; empty at full speed") {
            number($0.paced?.ratePerSecond)
        },
    ]

    private static let work: [CSVColumn] = [
        CSVColumn("operations", "operations done") { number($0.operations) },
        CSVColumn("seconds", "until the last acknowledgement") { number($0.seconds) },
        CSVColumn("per_second", "acknowledged operations per second") { number($0.perSecond) },
        CSVColumn("settle_seconds", "from then until the background was idle") { number($0.settleSeconds) },
        CSVColumn("settled_per_second", "operations / (seconds + settle_seconds)") { number($0.settledPerSecond) },
        CSVColumn("milliseconds", "duration of one step") { number($0.milliseconds) },
        CSVColumn("p50_us", "median latency, microseconds") { number($0.latency?.p50) },
        CSVColumn("p99_us", "99th percentile") { number($0.latency?.p99) },
        CSVColumn("p999_us", "99.9th percentile") { number($0.latency?.p999) },
        CSVColumn("max_us", "longest operation") { number($0.latency?.max) },
    ]

    private static let costs: [CSVColumn] = [
        CSVColumn("cpu_seconds", "user and system time of all threads") { number($0.cpuSeconds) },
        CSVColumn("peak_resident_bytes", "highest resident memory") { number($0.peakResidentBytes) },
        CSVColumn("memory_budget_bytes", "what Shale was told to stay within") { number($0.memoryBudgetBytes) },
        CSVColumn("user_bytes", "bytes of keys and values written") { number($0.userBytes) },
        CSVColumn("bytes_written", "bytes written to the device until settled") { number($0.bytesWritten) },
        CSVColumn("write_amplification", "bytes_written / user_bytes") { number($0.writeAmplification) },
        CSVColumn("disk_bytes", "bytes of files at the last acknowledgement") { number($0.diskBytes) },
        CSVColumn("settled_disk_bytes", "the same after settling") { number($0.settledDiskBytes) },
        CSVColumn("space_amplification", "settled_disk_bytes / bytes of live keys and values") {
            number($0.spaceAmplification)
        },
        CSVColumn("note", "remarks") { $0.note ?? "" },
        CSVColumn("roofline_per_second", "what the machine does at most with the same data") {
            number($0.rooflinePerSecond)
        },
        CSVColumn("bytes_read", "what the process caused to be read from the device") { number($0.bytesRead) },
        CSVColumn("memory_limit_bytes", "the maximum of its memory, page cache included; empty without") {
            number($0.memoryLimitBytes)
        },
        CSVColumn("handicap", "what makes this build slower than the peer's best; empty if nothing is known") {
            $0.handicap ?? ""
        },
    ]
}

/// Every row of the result file, for the reader's own calculations.
struct RowsSection {
    let rows: [ResultRow]

    var section: Section {
        Section(
            id: "rows", title: "Every row",
            content: tag("details") {
                tag("summary") { "\(rows.count) rows as CSV, warm-ups (run -1) included" }
                HTMLTable(
                    caption: "Columns", titles: ["Column", "Meaning"],
                    lines: CSVColumn.all.map { [HTMLTable.Cell(text: $0.name), HTMLTable.Cell(text: $0.meaning)] },
                    words: [0, 1]
                ).markup
                tag("pre", ["tabindex": "0", "aria-label": "All rows as CSV"]) { CSVReport.text(rows) }
            })
    }
}
