import Formatting

/// All properties that must be equal for rows of different contenders to be compared.
struct Setting: Hashable, Sendable {
    let workload: String
    let after: String
    let entries: Int
    let keyBytes: Int
    let valueBytes: Int
    let threads: Int
    /// The operations per second that were due; `nil` at full speed.
    let rate: Double?

    init(of row: ResultRow) {
        workload = row.workload
        after = row.after
        entries = row.entries
        keyBytes = row.keyBytes
        valueBytes = row.valueBytes
        threads = row.threads
        rate = row.paced?.ratePerSecond
    }

    /// The properties without the workload: `n = 2 000 000, 16 + 100 B, 2 threads, after compact`.
    var details: String {
        var parts = [
            "n\u{A0}=\u{A0}\(Format.grouped(Double(entries)))", "\(keyBytes)\u{A0}+\u{A0}\(Format.bytes(valueBytes))",
        ]
        parts.append(threads == 1 ? "1 thread" : "\(threads) threads")
        if !after.isEmpty { parts.append("after \(after)") }
        if let rate { parts.append("paced at \(Format.grouped(rate))/s") }
        return parts.joined(separator: ", ")
    }
}
