/// Formats numbers for people.
public enum Format {
    /// Returns `value` with `decimals` digits after the point; "-" if it is not finite or 10^15 and more.
    public static func fixed(_ value: Double, _ decimals: Int) -> String {
        guard value.isFinite, value.magnitude < 1e15 else { return "-" }
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        let rounded = Int64((value.magnitude * scale).rounded())
        let sign = value < 0 && rounded > 0 ? "-" : ""
        guard decimals > 0 else { return sign + String(rounded) }
        let fraction = String(rounded % Int64(scale))
        return sign + String(rounded / Int64(scale)) + "." + String(repeating: "0", count: decimals - fraction.count)
            + fraction
    }

    /// Returns a number without trailing zeros of the fraction.
    public static func trimmed(_ value: Double, _ decimals: Int) -> String {
        var text = fixed(value, decimals)
        guard text.contains(".") else { return text }
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text
    }

    /// Returns a number with groups of three digits, as in 63 466.
    public static func grouped(_ value: some BinaryInteger, separator: String) -> String {
        let digits = Array(String(value.magnitude))
        var text = value < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += separator }
            text.append(digit)
        }
        return text
    }
}

extension String {
    /// Returns the text with spaces behind it, so that it fills a column of `width` characters.
    public func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

    /// Returns the text with spaces before it, so that it ends a column of `width` characters.
    public func paddedLeft(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
