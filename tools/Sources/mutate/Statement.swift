/// A statement or a member, as a range of tokens without the line end behind it.
struct Statement {
    let first: Int
    let last: Int
}

/// Tokens of a file, seen as statements.
struct StatementList {
    let tokens: [Token]
    let statements: [Statement]

    private static let prefixes: Set = ["guard", "if", "while", "in", "where", "case"]
    private static let followers: Set = ["else", "catch", "where", "throws"]

    init(_ tokens: [Token]) {
        self.tokens = tokens
        var statements: [Statement] = []
        var index = 0
        while index < tokens.count {
            if StatementList.isStart(index, tokens) {
                statements.append(Statement(first: index, last: StatementList.end(of: index, tokens)))
            }
            index += 1
        }
        self.statements = statements
    }

    /// True if a line that ends with `last` continues with `next`.
    private static func continues(_ last: Token, _ next: Token) -> Bool {
        if next.kind == .symbol, next.isBinary || next.text.hasPrefix(".") { return true }
        if next.text == ":" || next.text == "{" || followers.contains(next.text) { return true }
        if last.kind == .symbol, last.hasSpaceBefore { return true }
        return last.text == "," || last.kind == .word && prefixes.contains(last.text)
    }

    private static func isInBlock(_ token: Token, _ tokens: [Token]) -> Bool {
        token.opener.map { tokens[$0].text == "{" } ?? true
    }

    private static func isStart(_ index: Int, _ tokens: [Token]) -> Bool {
        let token = tokens[index]
        guard token.kind != .lineEnd, token.text != "}", isInBlock(token, tokens) else { return false }
        var previous = index - 1
        while previous >= 0, tokens[previous].kind == .lineEnd { previous -= 1 }
        guard previous >= 0 else { return true }
        if previous == token.opener || tokens[previous].text == ";" { return true }
        if tokens[previous].text == "in", isClosureHeader(previous, tokens) { return true }
        if previous == index - 1 { return tokens[previous].text == ":" && isLabel(previous, tokens) }
        return !continues(tokens[previous], token) || tokens[previous].text == "in" && isClosureHeader(previous, tokens)
    }

    /// True for the `in` behind a closure's parameters.
    private static func isClosureHeader(_ index: Int, _ tokens: [Token]) -> Bool {
        guard let opener = tokens[index].opener, tokens[opener].text == "{" else { return false }
        return tokens[opener].line == tokens[index].line
            && !tokens[opener..<index].contains { ["for", "in"].contains($0.text) && $0.opener == opener }
    }

    /// True for the colon behind `case …` or `default`.
    private static func isLabel(_ index: Int, _ tokens: [Token]) -> Bool {
        var begin = index
        while begin > 0, tokens[begin - 1].kind != .lineEnd, begin - 1 != tokens[index].opener { begin -= 1 }
        guard tokens[begin].text == "case" || tokens[begin].text == "default" else { return false }
        return !tokens[begin..<index].contains { $0.text == ":" && $0.opener == tokens[index].opener }
    }

    private static func end(of start: Int, _ tokens: [Token]) -> Int {
        let opener = tokens[start].opener
        var last = start
        var index = start
        while index < tokens.count {
            let token = tokens[index]
            if token.text == "}", token.kind == .bracket, let partner = token.partner, partner == opener { break }
            if token.text == ";" { break }
            if token.kind == .lineEnd {
                var next = index
                while next < tokens.count, tokens[next].kind == .lineEnd { next += 1 }
                guard next < tokens.count, tokens[next].text != "}", continues(tokens[last], tokens[next]) else {
                    break
                }
                index = next
                continue
            }
            if token.kind == .bracket, let partner = token.partner, partner > index { index = partner }
            last = index
            if tokens[last].text == ":", isLabel(last, tokens) { break }
            index += 1
        }
        return last
    }
}
