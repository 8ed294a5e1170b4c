/// How characters are written that a terminal must not get.
enum Escaping {
    /// For people: `\xNN` for each byte of UTF-8.
    case bytes
    /// For JSON strings: `\uNNNN` for each unit of UTF-16.
    case json

    /// True for what is not shown as a character of its own, but obeyed: the controls of ASCII and of Latin 1, which
    /// terminals also take in the two bytes of UTF-8, line and paragraph separators, and what changes the direction
    /// of text. True as well for what is not seen at all, so that two names can't look alike. The joiners U+200C and
    /// U+200D are not among them: Persian, the scripts of India and emoji are written with them.
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
