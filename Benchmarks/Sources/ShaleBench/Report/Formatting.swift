/// Numbers formatted for readers.
enum Format {
    static func fixed(_ value: Double, _ decimals: Int) -> String {
        guard value.isFinite else { return "-" }
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        let rounded = Int64((value.magnitude * scale).rounded())
        let sign = value < 0 && rounded > 0 ? "-" : ""
        guard decimals > 0 else { return sign + String(rounded) }
        let fraction = String(rounded % Int64(scale))
        return sign + String(rounded / Int64(scale)) + "." + left("0", decimals - fraction.count) + fraction
    }

    /// `1 234 567`, with non-breaking spaces.
    static func grouped(_ value: Double) -> String {
        guard value.isFinite else { return "-" }
        var digits = Substring(String(Int64(value.rounded())))
        var groups: [String] = []
        while digits.count > 3 {
            groups.append(String(digits.suffix(3)))
            digits = digits.dropLast(3)
        }
        return ([String(digits)] + groups.reversed()).joined(separator: "\u{A0}")
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

    static func megabytes(_ bytes: Int) -> String { fixed(Double(bytes) / 1e6, 0) + " MB" }

    static func right(_ text: String, _ width: Int) -> String { left(" ", width - text.count) + text }

    static func padded(_ text: String, _ width: Int) -> String { text + left(" ", width - text.count) }

    private static func left(_ character: Character, _ count: Int) -> String {
        String(repeating: character, count: max(0, count))
    }
}

extension Format {
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

    /// Formats a number without trailing zeros of the fraction, for coordinates.
    static func trimmed(_ value: Double, _ decimals: Int) -> String {
        var text = fixed(value, decimals)
        guard text.contains(".") else { return text }
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text
    }
}
