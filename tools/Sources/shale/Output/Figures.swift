import Formatting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Formats numbers for people.
enum Figures {
    /// Returns `value` with `decimals` digits after the point.
    static func decimal(_ value: Double, _ decimals: Int = 1) -> Shown {
        Shown(Format.fixed(value, decimals))
    }

    /// Returns a number with groups of three digits, as in 63 466. The separator is a space, which survives copying.
    static func count(_ value: some BinaryInteger) -> Shown {
        Shown(Format.grouped(value, separator: " "))
    }

    /// Returns a number with a noun: "1 file", "2 files".
    static func count(_ value: some BinaryInteger, _ noun: Shown) -> Shown {
        "\(count(value)) \(value == 1 ? noun : noun + "s")"
    }

    /// Returns a number with a noun of irregular plural: "1 batch", "2 batches".
    static func count(_ value: some BinaryInteger, _ one: Shown, _ many: Shown) -> Shown {
        "\(count(value)) \(value == 1 ? one : many)"
    }

    /// Returns a number of bytes in decimal units: 1 kB = 1000 bytes.
    static func bytes(_ value: some BinaryInteger) -> Shown {
        let magnitude = Double(value)
        for (unit, size) in [("GB" as Shown, 1e9), ("MB", 1e6), ("kB", 1e3)] where abs(magnitude) >= size {
            return "\(decimal(magnitude / size)) \(unit)"
        }
        return "\(value) B"
    }

    static func duration(_ value: Duration) -> Shown {
        let seconds = value.seconds
        if seconds >= 90 { return "\(Int(seconds) / 60) min \(Int(seconds) % 60) s" }
        if seconds >= 1 { return "\(decimal(seconds, 2)) s" }
        if seconds >= 0.001 { return "\(decimal(seconds * 1e3)) ms" }
        return "\(decimal(seconds * 1e6, 0)) µs"
    }

    static func rate(_ count: UInt64, _ time: Duration) -> Shown {
        "\(Figures.count(UInt64(Double(count) / max(time.seconds, 1e-9))))/s"
    }

    static func byteRate(_ count: UInt64, _ time: Duration) -> Shown {
        "\(bytes(UInt64(Double(count) / max(time.seconds, 1e-9))))/s"
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}

/// Formats a time as ISO 8601 in UTC, with milliseconds.
func timestamp(_ date: Date) -> String {
    date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
}

/// Formats a time in milliseconds, as stores keep it.
func timestamp(milliseconds: Int64) -> String {
    timestamp(Date(timeIntervalSince1970: Double(milliseconds) / 1000))
}

/// A table of text: each column is as wide as its widest cell, numbers are right-aligned.
struct Table {
    private let rightAligned: Set<Int>
    private let hasHeader: Bool
    private var rows: [[Shown]]

    init(_ header: [Shown], rightAligned: Set<Int> = []) {
        hasHeader = !header.isEmpty
        rows = hasHeader ? [header] : []
        self.rightAligned = rightAligned
    }

    mutating func add(_ cells: Shown...) { rows.append(cells) }

    mutating func add(_ cells: [Shown]) { rows.append(cells) }

    var text: Shown {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        return rows.enumerated().map { number, row in
            let cells = row.enumerated().map { column, cell in
                let padding = Shown.spaces(widths[column] - cell.count)
                return rightAligned.contains(column) ? padding + cell : cell + padding
            }
            let line = cells.joined(separator: "  ").trimmedEnd
            return number == 0 && hasHeader ? Terminal.heading(line) : line
        }.joined(separator: "\n")
    }
}
