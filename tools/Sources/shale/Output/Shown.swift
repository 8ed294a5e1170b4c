/// Text that is safe for a terminal: it contains no control character that came from data.
///
/// Names, keys, values, paths and messages may contain anything, including text that a terminal interprets: escape
/// sequences that move the cursor, set the title or answer as if typed, and direction controls that reorder text.
/// Everything that the command prints goes through ``Terminal``, which accepts only this type, and no initializer takes
/// text unchanged. Only literals are trusted; text interpolated into a literal is escaped.
struct Shown: Hashable, Sendable {
    /// The safe text.
    let text: String

    private init(safe text: String) { self.text = text }

    /// Makes one line of `text`. Unsafe characters and the backslash become escapes: `\n`, `\t`, `\\`, or `\xNN` for
    /// each byte of UTF-8. Two different texts never look the same.
    init(_ text: String) { self.init(safe: Escaping.bytes.escaped(text, doublingBackslashes: true)) }

    init(_ number: some BinaryInteger) { self.init(safe: String(number)) }

    /// Makes one line of a message: like ``init(_:)``, but backslashes stay, because the message may already be
    /// escaped.
    init(message: String) { self.init(safe: Escaping.bytes.escaped(message)) }

    /// Makes text of several lines for people: line feeds, tabs and backslashes stay.
    init(lines text: String) { self.init(safe: Escaping.bytes.escaped(text, keepingLines: true)) }

    /// Makes a JSON text with the same meaning. Unsafe characters can only be in its strings and become `\uNNNN`. Line
    /// feeds between its parts stay.
    init(json text: String) { self.init(safe: Escaping.json.escaped(text, keepingLines: true)) }

    /// Makes one line of a key. If the key is not UTF-8, each byte that is not printable ASCII becomes `\xNN`.
    init(key: [UInt8]) {
        if let text = String(validating: key, as: UTF8.self) {
            self.init(text)
        } else {
            self.init(
                safe: key.map { byte in
                    byte >= 0x20 && byte < 0x7f && byte != 0x5c
                        ? String(UnicodeScalar(byte)) : Escaping.escaped(byte)
                }.joined())
        }
    }

    /// Makes one line of a namespace: `user:name` if it belongs to a user.
    init(namespace name: String, user: String?) { self.init((user.map { "\($0):" } ?? "") + name) }

    var isEmpty: Bool { text.isEmpty }

    /// The number of characters, which are counted as columns of a terminal.
    var count: Int { text.count }

    func prefix(_ count: Int) -> Shown { Shown(safe: String(text.prefix(count))) }

    /// The text as one word for a shell or a session: in apostrophes unless every character is an ordinary one.
    var quoted: Shown {
        if text.wholeMatch(of: #/[A-Za-z0-9_.\/:@%+,=-]+/#) != nil { return self }
        return Shown(safe: "'" + text.replacing("'", with: "'\"'\"'") + "'")
    }

    var lines: [Shown] { text.split(separator: "\n").map { Shown(safe: String($0)) } }

    var trimmedEnd: Shown {
        var rest = text[...]
        while rest.last == " " { rest.removeLast() }
        return Shown(safe: String(rest))
    }

    static func + (left: Shown, right: Shown) -> Shown { Shown(safe: left.text + right.text) }

    static func += (left: inout Shown, right: Shown) { left = left + right }

    static func spaces(_ count: Int) -> Shown { Shown(safe: String(repeating: " ", count: max(0, count))) }

    /// Repeats `text`, a literal, `count` times.
    init(repeating text: StaticString, count: Int) {
        self.init(safe: String(repeating: "\(text)", count: max(0, count)))
    }
}

extension Shown: ExpressibleByStringInterpolation {
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        mutating func appendLiteral(_ literal: String) { text += literal }

        mutating func appendInterpolation(_ shown: Shown) { text += shown.text }

        /// Appends data, escaped.
        mutating func appendInterpolation(_ data: String) { text += Shown(data).text }

        mutating func appendInterpolation(message: String) { text += Shown(message: message).text }

        mutating func appendInterpolation(_ number: some BinaryInteger) { text += String(number) }
    }

    init(stringLiteral value: String) { self.init(safe: value) }

    init(stringInterpolation: StringInterpolation) { self.init(safe: stringInterpolation.text) }
}

extension Shown: CustomStringConvertible, Encodable {
    var description: String { text }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension Sequence where Element == Shown {
    func joined(separator: Shown = "") -> Shown {
        var isFirst = true
        return reduce(into: Shown("")) { text, part in
            text += isFirst ? part : separator + part
            isFirst = false
        }
    }
}

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

    /// Returns the bytes of which `text` is the printed form of one line: the reverse of ``Shown/init(_:)`` and
    /// ``Shown/init(key:)``.
    ///
    /// `\xNN`, `\n`, `\r`, `\t` and `\\` stand for a byte each, and everything else stands for its UTF-8. `nil` if a
    /// backslash begins anything else.
    static func bytes(ofEscaped text: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "\\"): bytes.append(UInt8(ascii: "\\"))
            case UInt8(ascii: "n"): bytes.append(UInt8(ascii: "\n"))
            case UInt8(ascii: "r"): bytes.append(UInt8(ascii: "\r"))
            case UInt8(ascii: "t"): bytes.append(UInt8(ascii: "\t"))
            case UInt8(ascii: "x"):
                guard let high = rest.popFirst().flatMap(hexDigit), let low = rest.popFirst().flatMap(hexDigit) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            default: return nil
            }
        }
        return bytes
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

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
