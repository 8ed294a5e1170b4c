/// Escapes characters that must not reach a terminal.
enum Escaping {
    /// Escapes for people: `\xNN` for each byte of UTF-8.
    case bytes
    /// Escapes for JSON strings: `\uNNNN` for each unit of UTF-16.
    case json

    /// Returns true for characters that must be escaped.
    ///
    /// - Control characters of ASCII and of Latin 1, which terminals also accept as the two bytes of UTF-8.
    /// - Line and paragraph separators, and characters that change the direction of text.
    /// - Invisible characters, so that two names can't look alike. The joiners U+200C and U+200D are not included:
    ///   Persian, the scripts of India and emoji need them.
    static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7f...0x9f, 0xad, 0x61c, 0x180e, 0x200b, 0x200e...0x200f, 0x2028...0x202e, 0x2060...0x206f,
            0xfeff, 0xfff9...0xfffb, 0xe0000...0xe007f:
            true
        default: false
        }
    }

    static func escaped(_ byte: UInt8) -> String { "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16) }

    func escaped(_ text: String, keepingLines: Bool = false, doublingBackslashes: Bool = false) -> String {
        // Most text is printable ASCII.
        guard text.utf8.contains(where: { $0 < 0x20 || $0 >= 0x7f || (doublingBackslashes && $0 == 0x5c) }) else {
            return text
        }
        var safe = ""
        safe.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            if keepingLines, scalar == "\n" || scalar == "\t" {
                safe.unicodeScalars.append(scalar)
            } else if doublingBackslashes, scalar == "\\" {
                safe += "\\\\"
            } else if Self.isUnsafe(scalar) {
                safe += escape(scalar)
            } else {
                safe.unicodeScalars.append(scalar)
            }
        }
        return safe
    }

    private func escape(_ scalar: Unicode.Scalar) -> String {
        switch (scalar, self) {
        case ("\n", _): "\\n"
        case ("\r", _): "\\r"
        case ("\t", _): "\\t"
        case (_, .bytes): String(scalar).utf8.map { Self.escaped($0) }.joined()
        case (_, .json):
            String(scalar).utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        }
    }
}
