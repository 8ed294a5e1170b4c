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
