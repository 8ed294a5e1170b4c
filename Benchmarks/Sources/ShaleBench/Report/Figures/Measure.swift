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
