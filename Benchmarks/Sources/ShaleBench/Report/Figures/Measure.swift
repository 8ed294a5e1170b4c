import Formatting

/// The measures that can be compared between rows.
enum Measure: String, CaseIterable, Sendable {
    case perSecond, settledPerSecond, milliseconds
    case p50, p99, p999, longest
    case cpuSeconds, peakResidentBytes
    case writeAmplification, diskBytes, settledDiskBytes, spaceAmplification

    /// Returns the value in the unit of the result file; `nil` if it was not measured.
    func value(of row: ResultRow) -> Double? {
        switch self {
        case .perSecond: row.milliseconds == nil ? row.perSecond : nil
        case .settledPerSecond: row.settledPerSecond
        case .milliseconds: row.milliseconds
        case .p50: row.latency?.p50
        case .p99: row.latency?.p99
        case .p999: row.latency?.p999
        case .longest: row.latency?.max
        case .cpuSeconds: row.cpuSeconds
        case .peakResidentBytes: row.peakResidentBytes.map(Double.init)
        case .writeAmplification: row.writeAmplification
        case .diskBytes: row.diskBytes.map(Double.init)
        case .settledDiskBytes: row.settledDiskBytes.map(Double.init)
        case .spaceAmplification: row.spaceAmplification
        }
    }

    /// True if higher values are better; for the other measures, lower ones are.
    var isBetterHigher: Bool { self == .perSecond || self == .settledPerSecond }

    /// Formats a value with its unit.
    func text(_ value: Double) -> String {
        switch self {
        case .perSecond, .settledPerSecond: Format.grouped(value) + "/s"
        case .milliseconds: Format.milliseconds(value)
        case .p50, .p99, .p999, .longest: Format.duration(microseconds: value)
        case .cpuSeconds: Format.digits(value) + "\u{A0}s"
        case .peakResidentBytes: Format.mebibytes(value)
        case .diskBytes, .settledDiskBytes: Format.fixed(value / 1e6, value < 9.95e6 ? 1 : 0) + "\u{A0}MB"
        case .writeAmplification, .spaceAmplification: Format.fixed(value, 2)
        }
    }

    var title: String {
        switch self {
        case .perSecond: "throughput"
        case .settledPerSecond: "settled throughput"
        case .milliseconds: "duration"
        case .p50: "median latency"
        case .p99: "p99"
        case .p999: "p99.9"
        case .longest: "longest operation"
        case .cpuSeconds: "CPU time"
        case .peakResidentBytes: "peak resident memory"
        case .writeAmplification: "bytes written / user bytes"
        case .diskBytes: "disk at the last acknowledgement"
        case .settledDiskBytes: "disk after settling"
        case .spaceAmplification: "space amplification"
        }
    }
}

/// Figures in the units of the report.
extension Format {
    /// `1 234 567`, with non-breaking spaces.
    static func grouped(_ value: Double) -> String {
        value.isFinite ? grouped(Int64(value.rounded()), separator: "\u{A0}") : "-"
    }

    static func microseconds(_ value: Double) -> String {
        if value < 1 { return fixed(value * 1e3, 0) + " ns" }
        if value < 100 { return fixed(value, 1) + " us" }
        if value < 1e4 { return fixed(value, 0) + " us" }
        return fixed(value / 1e3, 1) + " ms"
    }

    static func seconds(_ value: Double) -> String {
        value < 1 ? fixed(value * 1e3, value < 0.1 ? 1 : 0) + " ms" : fixed(value, 2) + " s"
    }

    /// `3.2×`; three significant digits.
    static func ratio(_ value: Double) -> String {
        let decimals = value < 0.0995 ? 3 : value < 9.95 ? 2 : value < 99.5 ? 1 : 0
        return fixed(value, decimals) + "×"
    }

    /// `1.23 M`: short enough for the axis of a chart.
    static func short(_ value: Double) -> String {
        let units: [(Double, String)] = [(1e9, "\u{A0}G"), (1e6, "\u{A0}M"), (1e3, "\u{A0}k")]
        guard let (unit, suffix) = units.first(where: { value >= $0.0 * 0.9995 }) else { return digits(value) }
        return digits(value / unit) + suffix
    }

    /// Formats at most three digits, without trailing zeros of a fraction.
    static func digits(_ value: Double) -> String {
        trimmed(value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2)
    }

    static func milliseconds(_ value: Double) -> String {
        duration(microseconds: value * 1e3)
    }

    /// Formats a duration in a fitting unit without trailing zeros, for axes.
    static func duration(microseconds value: Double) -> String {
        if value < 1 { return digits(value * 1e3) + "\u{A0}ns" }
        if value < 1e3 { return digits(value) + "\u{A0}µs" }
        return value < 1e6 ? digits(value / 1e3) + "\u{A0}ms" : digits(value / 1e6) + "\u{A0}s"
    }

    static func mebibytes(_ bytes: Double) -> String { fixed(bytes / 1_048_576, 0) + "\u{A0}MiB" }

    /// `100 B`, `16 KiB`.
    static func bytes(_ count: Int) -> String {
        count >= 1024 && count % 1024 == 0 ? "\(count / 1024)\u{A0}KiB" : "\(count)\u{A0}B"
    }
}
