/// A word, a literal or a sign of a condition.
enum ConditionToken: Equatable {
    /// A name of a field or a keyword.
    case word(String)
    /// A name in backquotes, which is never a keyword.
    case name(String)
    /// A number, with its text.
    case number(String)
    case text(String)
    case bytes([UInt8])
    case sign(String)
    case end

    /// True for a keyword, in small or capital letters.
    func isKeyword(_ keyword: String) -> Bool {
        guard case .word(let word) = self else { return false }
        return word.lowercased() == keyword
    }
}

/// Cuts the text of a condition into tokens.
struct ConditionLexer {
    static let textBytesMax = 64 << 10

    /// The offset of the token that ``next()`` returned last.
    private(set) var tokenOffset = 0
    private let text: [Unicode.Scalar]
    private var position = 0

    /// - Throws: A mistake for a text above 64 KiB.
    init(_ text: String) throws(ConditionMistake) {
        guard text.utf8.count <= ConditionLexer.textBytesMax else {
            throw ConditionMistake(offset: 0, problem: "the text is longer than \(ConditionLexer.textBytesMax) bytes")
        }
        self.text = Array(text.unicodeScalars)
    }

    /// Returns the next token; ``ConditionToken/end`` at the end of the text.
    mutating func next() throws(ConditionMistake) -> ConditionToken {
        while let scalar = peek, scalar.properties.isWhitespace { position += 1 }
        tokenOffset = position
        guard let scalar = peek else { return .end }
        switch scalar {
        case "'", "\"": return .text(try quoted("a text"))
        case "`": return .name(try quoted("a name"))
        case "0"..."9", "-", "+", ".": return .number(try number())
        case "(", ")", ",", "=", "<", ">", "!": return .sign(try sign())
        default:
            guard ConditionLexer.isOfWord(scalar) else { throw mistake("there is an unexpected character") }
            if scalar == "x" || scalar == "X", position + 1 < text.count, text[position + 1] == "'" {
                position += 1
                return .bytes(try hexadecimal())
            }
            return .word(word())
        }
    }

    /// Returns a mistake at the last token.
    func mistake(_ problem: String) -> ConditionMistake {
        // Scalars are positions, and characters are what the reader counts.
        let before = String(String.UnicodeScalarView(text[..<tokenOffset]))
        return ConditionMistake(offset: before.count, problem: problem)
    }

    private var peek: Unicode.Scalar? { position < text.count ? text[position] : nil }

    private static func isOfWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: scalar.value >= 0x80 && scalar.properties.isAlphabetic
        }
    }

    private mutating func word() -> String {
        let start = position
        while let scalar = peek, ConditionLexer.isOfWord(scalar) { position += 1 }
        return String(String.UnicodeScalarView(text[start..<position]))
    }

    /// Reads from a quote to the next one. The quote itself is written twice.
    private mutating func quoted(_ what: String) throws(ConditionMistake) -> String {
        let quote = text[position]
        var content = String.UnicodeScalarView()
        position += 1
        while let scalar = peek {
            position += 1
            if scalar == quote {
                guard peek == quote else { return String(content) }
                position += 1
            }
            content.append(scalar)
        }
        throw mistake("\(what) has no end")
    }

    private mutating func hexadecimal() throws(ConditionMistake) -> [UInt8] {
        let text = try quoted("a text")
        let digits = text.utf8.compactMap { UnicodeScalar($0).properties.isASCIIHexDigit ? $0 : nil }
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else {
            throw mistake("bytes are not pairs of hexadecimal digits")
        }
        return stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)
        }
    }

    /// Reads a number as JSON writes it; a sign `+` is allowed.
    private mutating func number() throws(ConditionMistake) -> String {
        let start = position
        if peek == "-" || peek == "+" { position += 1 }
        try digits()
        if peek == "." {
            position += 1
            try digits()
        }
        if peek == "e" || peek == "E" {
            position += 1
            if peek == "-" || peek == "+" { position += 1 }
            try digits()
        }
        if let scalar = peek, ConditionLexer.isOfWord(scalar) || scalar == "." {
            throw mistake("a number is not valid")
        }
        return String(String.UnicodeScalarView(text[start..<position]))
    }

    private mutating func digits() throws(ConditionMistake) {
        let start = position
        while let scalar = peek, "0"..."9" ~= scalar { position += 1 }
        if position == start { throw mistake("a number is not valid") }
    }

    private mutating func sign() throws(ConditionMistake) -> String {
        let first = text[position]
        position += 1
        let pairs: [String] = ["==", "!=", "<>", "<=", ">="]
        if let second = peek, pairs.contains("\(first)\(second)") {
            position += 1
            return "\(first)\(second)"
        }
        guard first != "!" else { throw mistake("there is an unexpected character") }
        return "\(first)"
    }
}
