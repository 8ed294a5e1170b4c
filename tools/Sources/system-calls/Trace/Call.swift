import Foundation

/// One system call as strace prints it: `name(arguments) = result`.
struct Call {
    let name: String
    let arguments: [String]
    /// The result; −1 if the call failed.
    let result: Int
    /// True if the call failed with EINTR.
    let isInterrupted: Bool
    /// The path of the resulting descriptor, by strace's `-y`; `nil` if the result is no descriptor.
    let resultPath: String?
    /// The first and the last line of the call in the trace.
    let begin: Int
    let end: Int

    init?(_ text: Substring, begin: Int, end: Int) {
        // The result is padded to a column.
        guard let open = text.firstIndex(of: "("), let equals = text.range(of: "= ", options: .backwards) else {
            return nil
        }
        let before = text[..<equals.lowerBound]
        guard let close = before.lastIndex(where: { $0 != " " }), text[close] == ")", open < close else { return nil }
        name = String(text[..<open])
        arguments = Call.split(text[text.index(after: open)..<close])
        let outcome = text[equals.upperBound...]
        guard let number = Int(outcome.prefix { $0 == "-" || $0.isNumber }) else { return nil }
        result = number
        isInterrupted = number < 0 && outcome.contains(" EINTR ")
        resultPath = Call.path(outcome.drop { $0 == "-" || $0.isNumber })
        self.begin = begin
        self.end = end
    }

    var succeeded: Bool { result >= 0 }

    /// Returns the path of a descriptor argument, `3</path>`.
    func path(_ argument: Int) -> String? {
        guard argument < arguments.count else { return nil }
        return Call.path(arguments[argument].drop { $0 == "-" || $0.isNumber })
    }

    /// Returns the path of a string argument, relative to a directory argument.
    func path(_ name: Int, in directory: Int) -> String? {
        guard let name = text(name) else { return nil }
        if name.hasPrefix("/") { return name }
        return path(directory).map { $0 + "/" + name }
    }

    func text(_ argument: Int) -> String? { bytes(argument).map { String(decoding: $0, as: UTF8.self) } }

    /// Returns a string argument, unescaped.
    func bytes(_ argument: Int) -> [UInt8]? {
        guard argument < arguments.count, arguments[argument].hasPrefix("\"") else { return nil }
        return CString.unescape(Array(arguments[argument].utf8.dropFirst()))
    }

    private static func path(_ text: Substring) -> String? {
        guard text.hasPrefix("<"), let end = text.firstIndex(of: ">") else { return nil }
        // strace marks files whose name was removed in this way.
        let path = text[text.index(after: text.startIndex)..<end]
        return String(path.hasSuffix(" (deleted)") ? path.dropLast(" (deleted)".count) : path)
    }

    /// Splits at the commas outside strings and brackets.
    private static func split(_ text: Substring) -> [String] {
        var parts: [String] = []
        var part: [UInt8] = []
        var depth = 0
        var isQuoted = false
        var isEscaped = false
        for byte in text.utf8 {
            if isQuoted {
                isQuoted = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            } else if byte == UInt8(ascii: "\"") {
                isQuoted = true
            } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                depth += 1
            } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
                depth -= 1
            } else if byte == UInt8(ascii: ","), depth == 0 {
                parts.append(trimmed(part))
                part.removeAll()
                continue
            }
            if byte != UInt8(ascii: " ") || isQuoted || !part.isEmpty { part.append(byte) }
        }
        parts.append(trimmed(part))
        return parts
    }

    /// Trims the space that ends a part interrupted by another thread.
    private static func trimmed(_ part: [UInt8]) -> String {
        String(decoding: part, as: UTF8.self).trimmingCharacters(in: .whitespaces)
    }
}

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
