/// Text that a terminal can be given. It carries no control character that came from data.
///
/// Names, keys, values, paths and messages may hold anything, also what a terminal obeys: escape sequences that move
/// the cursor, set the title or answer as if typed, and direction controls that reorder what is read. Everything that
/// the command prints goes through ``Terminal``, which takes nothing else than this type, and no initializer takes
/// text as it is. Only literals are trusted: what is interpolated into one is escaped.
struct Shown: Hashable, Sendable {
    /// Safe to be written.
    let text: String

    private init(safe text: String) { self.text = text }

    /// `text` in one line. What can't be shown, and the backslash itself, becomes an escape: `\n`, `\t`, `\\`, or
    /// `\xNN` for each byte of UTF-8. No two texts look the same.
    init(_ text: String) { self.init(safe: Escaping.bytes.escaped(text, doublingBackslashes: true)) }

    init(_ number: some BinaryInteger) { self.init(safe: String(number)) }

    /// A message in one line: like ``init(_:)``, but backslashes stay, since whoever wrote it may have escaped already.
    init(message: String) { self.init(safe: Escaping.bytes.escaped(message)) }

    /// Text of several lines for people: line feeds, tabs and backslashes stay.
    init(lines text: String) { self.init(safe: Escaping.bytes.escaped(text, keepingLines: true)) }

    /// A JSON text, which stays equal: what can't be shown can only be in its strings and becomes `\uNNNN`. Line
    /// feeds between its parts stay.
    init(json text: String) { self.init(safe: Escaping.json.escaped(text, keepingLines: true)) }

    /// A key in one line; one that is not UTF-8 with `\xNN` for each byte that is not printable ASCII.
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

    /// A namespace in one line: `user:name` if it is a user's.
    init(namespace name: String, user: String?) { self.init((user.map { "\($0):" } ?? "") + name) }

    var isEmpty: Bool { text.isEmpty }

    /// In characters, as columns of a terminal are counted here.
    var count: Int { text.count }

    func prefix(_ count: Int) -> Shown { Shown(safe: String(text.prefix(count))) }

    var lines: [Shown] { text.split(separator: "\n").map { Shown(safe: String($0)) } }

    var trimmedEnd: Shown {
        var rest = text[...]
        while rest.last == " " { rest.removeLast() }
        return Shown(safe: String(rest))
    }

    static func + (left: Shown, right: Shown) -> Shown { Shown(safe: left.text + right.text) }

    static func += (left: inout Shown, right: Shown) { left = left + right }

    static func spaces(_ count: Int) -> Shown { Shown(safe: String(repeating: " ", count: max(0, count))) }

    /// `text`, a literal, `count` times.
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

        /// Data: escaped.
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
