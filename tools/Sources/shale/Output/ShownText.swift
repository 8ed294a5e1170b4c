#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// ISO 8601, UTC, milliseconds.
func timestamp(_ date: Date) -> String {
    date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
}

/// The same of what stores keep.
func timestamp(milliseconds: Int64) -> String {
    timestamp(Date(timeIntervalSince1970: Double(milliseconds) / 1000))
}

/// `text` in one line: what would break it is escaped with a backslash.
func singleLine(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x5c || $0 == 0x7f || $0 == 0xc2 }) else { return text }
    var line = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\\": line += "\\\\"
        case "\n": line += "\\n"
        case "\r": line += "\\r"
        case "\t": line += "\\t"
        // Terminals take the controls of Latin 1, in two bytes, for commands, too.
        case _ where scalar.value < 0x20 || 0x7f...0x9f ~= scalar.value:
            line += String(scalar).utf8.map { escaped($0) }.joined()
        default: line.unicodeScalars.append(scalar)
        }
    }
    return line
}

/// A key in one line; bytes that are not text as `\xNN`.
func singleLine(key: [UInt8]) -> String {
    if let text = String(validating: key, as: UTF8.self) { return singleLine(text) }
    return key.map { byte in
        byte >= 0x20 && byte < 0x7f && byte != 0x5c
            ? String(UnicodeScalar(byte)) : escaped(byte)
    }.joined()
}

private func escaped(_ byte: UInt8) -> String { "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16) }

/// A namespace in one line: `user:name` where it is a user's.
func singleLine(namespace name: String, user: String?) -> String {
    singleLine((user.map { "\($0):" } ?? "") + name)
}
