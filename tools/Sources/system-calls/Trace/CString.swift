/// Strings as strace escapes them.
enum CString {
    private static let simple: [UInt8: UInt8] = [
        UInt8(ascii: "n"): 10, UInt8(ascii: "t"): 9, UInt8(ascii: "v"): 11, UInt8(ascii: "f"): 12,
        UInt8(ascii: "r"): 13,
    ]

    /// Unescapes the text up to the closing quote.
    static func unescape(_ text: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        var index = 0
        while index < text.count, text[index] != UInt8(ascii: "\"") {
            guard text[index] == UInt8(ascii: "\\"), index + 1 < text.count else {
                bytes.append(text[index])
                index += 1
                continue
            }
            let digits = text[(index + 1)...].prefix(3).prefix { UInt8(ascii: "0")...UInt8(ascii: "7") ~= $0 }
            if digits.isEmpty {
                bytes.append(simple[text[index + 1]] ?? text[index + 1])
                index += 2
            } else {
                bytes.append(digits.reduce(0) { $0 << 3 | ($1 - UInt8(ascii: "0")) })
                index += 1 + digits.count
            }
        }
        return bytes
    }
}
