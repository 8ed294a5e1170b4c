/// An encoding of arbitrary bytes as text with a restricted alphabet.
///
/// Plain characters stand for themselves; every other byte becomes a mark and two lower-case hexadecimal digits.
///
/// Each byte sequence has exactly one text, and a text decodes to at most one byte sequence.
package struct EscapedText: Sendable {
    private static let digits = Array("0123456789abcdef".utf8)

    private let mark: UInt8
    /// For every byte, true if it stands for itself.
    private let isPlain: [Bool]

    /// Makes an encoding whose plain characters are `plain`, all ASCII. `mark` is not one of them.
    package init(mark: Unicode.Scalar, plain: String) {
        self.mark = UInt8(ascii: mark)
        var isPlain = [Bool](repeating: false, count: 256)
        for byte in plain.utf8 { isPlain[Int(byte)] = true }
        self.isPlain = isPlain
    }

    package func text(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            if isPlain[Int(byte)] {
                text.append(byte)
            } else {
                text += [mark, Self.digits[Int(byte >> 4)], Self.digits[Int(byte & 15)]]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes `text`; `nil` for a text that ``text(_:)`` never produces.
    package func bytes(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if isPlain[Int(byte)] {
                bytes.append(byte)
            } else {
                guard byte == mark, let high = Self.digit(rest.popFirst()), let low = Self.digit(rest.popFirst()),
                    !isPlain[Int(high << 4 | low)]
                else { return nil }
                bytes.append(high << 4 | low)
            }
        }
        return bytes
    }

    private static func digit(_ byte: UInt8?) -> UInt8? {
        guard let byte, let digit = digits.firstIndex(of: byte) else { return nil }
        return UInt8(digit)
    }
}
