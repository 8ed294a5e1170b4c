/// A token of Swift source. Comments and blanks are no tokens, line ends are.
struct Token {
    enum Kind {
        case word, number, string, symbol, bracket, punctuation, lineEnd
    }

    let kind: Kind
    let text: String
    /// In bytes of the file.
    let range: Range<Int>
    let line: Int
    let hasSpaceBefore: Bool
    var hasSpaceAfter = false
    /// The innermost bracket that is open here, as an index of a token.
    var opener: Int?
    /// The bracket that belongs to this one.
    var partner: Int?

    /// True for operators between two operands: the formatter puts spaces around them, and around no others.
    var isBinary: Bool { kind == .symbol && hasSpaceBefore && hasSpaceAfter }
}

/// Takes Swift source apart, as far as mutations need it.
///
/// The sources are formatted by `swift format`, which settles what a tokenizer alone could not: spaces tell binary
/// operators from others and from the brackets of generic arguments.
struct Tokenizer {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var tokens: [Token] = []

    static func tokens(of source: [UInt8]) -> [Token] {
        var tokenizer = Tokenizer(bytes: source)
        tokenizer.run()
        return tokenizer.matched()
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private func peek(_ distance: Int = 0) -> UInt8 {
        position + distance < bytes.count ? bytes[position + distance] : 0
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "`"): true
        case UInt8(ascii: "@"), UInt8(ascii: "#"): true
        default: byte >= 0x80
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static let symbols = Set("+-*/<>=!&|^~?%.\\".utf8)

    private mutating func run() {
        while position < bytes.count {
            let start = position
            let byte = peek()
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
                position += 1
            case UInt8(ascii: "\n"):
                position += 1
                add(.lineEnd, start)
                line += 1
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"):
                while position < bytes.count, peek() != UInt8(ascii: "\n") { position += 1 }
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"):
                skipBlockComment()
            case UInt8(ascii: "\""):
                let first = line
                skipString()
                add(.string, start, line: first)
            case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"),
                UInt8(ascii: "}"):
                position += 1
                add(.bracket, start)
            case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: ";"):
                position += 1
                add(.punctuation, start)
            case _ where Tokenizer.isWordByte(byte):
                while Tokenizer.isWordByte(peek()) { position += 1 }
                add(Tokenizer.isDigit(byte) ? .number : .word, start)
            case _ where Tokenizer.symbols.contains(byte):
                while Tokenizer.symbols.contains(peek()), !beginsComment { position += 1 }
                add(.symbol, start)
            default:
                position += 1
            }
        }
    }

    private var beginsComment: Bool {
        peek() == UInt8(ascii: "/") && (peek(1) == UInt8(ascii: "/") || peek(1) == UInt8(ascii: "*"))
    }

    private mutating func skipBlockComment() {
        var depth = 0
        while position < bytes.count {
            if peek() == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
                depth += 1
                position += 2
            } else if peek() == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
                depth -= 1
                position += 2
                if depth == 0 { return }
            } else {
                if peek() == UInt8(ascii: "\n") { line += 1 }
                position += 1
            }
        }
    }

    /// Skips a string literal with what is interpolated in it.
    private mutating func skipString() {
        let quote = UInt8(ascii: "\"")
        let isLong = peek(1) == quote && peek(2) == quote
        position += isLong ? 3 : 1
        while position < bytes.count {
            if peek() == UInt8(ascii: "\\"), peek(1) == UInt8(ascii: "(") {
                position += 2
                skipInterpolation()
            } else if peek() == UInt8(ascii: "\\") {
                position += 2
            } else if peek() == quote, !isLong || peek(1) == quote && peek(2) == quote {
                position += isLong ? 3 : 1
                return
            } else {
                if peek() == UInt8(ascii: "\n") { line += 1 }
                position += 1
            }
        }
    }

    private mutating func skipInterpolation() {
        var depth = 1
        while position < bytes.count, depth > 0 {
            switch peek() {
            case UInt8(ascii: "\""):
                skipString()
                continue
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            case UInt8(ascii: "\n"): line += 1
            default: break
            }
            position += 1
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\t")
    }

    private mutating func add(_ kind: Token.Kind, _ start: Int, line: Int? = nil) {
        var token = Token(
            kind: kind, text: String(decoding: bytes[start..<position], as: UTF8.self), range: start..<position,
            line: line ?? self.line, hasSpaceBefore: start == 0 || Tokenizer.isBlank(bytes[start - 1]))
        token.hasSpaceAfter = position == bytes.count || Tokenizer.isBlank(bytes[position])
        tokens.append(token)
    }

    /// The tokens, each with the bracket that it is in, and brackets with their partners.
    private func matched() -> [Token] {
        var tokens = tokens
        var open: [Int] = []
        for index in tokens.indices {
            let text = tokens[index].kind == .bracket ? tokens[index].text : ""
            if text == ")" || text == "]" || text == "}", let opener = open.popLast() {
                tokens[index].partner = opener
                tokens[opener].partner = index
            }
            tokens[index].opener = open.last
            if text == "(" || text == "[" || text == "{" { open.append(index) }
        }
        return tokens
    }
}
