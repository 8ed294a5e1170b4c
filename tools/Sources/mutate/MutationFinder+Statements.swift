/// Mutations of whole statements.
extension MutationFinder {
    /// True for a call whose value nobody uses, and for an assignment.
    func isSimple(_ statement: Statement) -> Bool {
        let first = tokens[statement.first]
        guard first.kind == .word, !MutationFinder.declarations.contains(first.text), !first.text.hasPrefix("@"),
            !first.text.hasPrefix("#"), tokens[statement.first].opener != nil
        else { return false }
        let top = tokens[statement.first...statement.last].filter { $0.opener == first.opener }
        if top.contains(where: { $0.text == "in" }) { return false }
        if top.contains(where: { $0.text == "self" }), top.contains(where: { $0.text == "init" }) { return false }
        return isAssignment(statement) || [")", "}"].contains(tokens[statement.last].text)
    }

    func isAssignment(_ statement: Statement) -> Bool {
        tokens[statement.first...statement.last].contains {
            $0.opener == tokens[statement.first].opener && $0.isBinary && $0.text.hasSuffix("=") && !isComparison($0)
        }
    }

    func isComparison(_ token: Token) -> Bool { MutationFinder.comparisons[token.text] != nil }

    /// True if the statement is the whole of a block that may return its value. A closure in one line may always.
    func mayBeResult(_ statement: Statement) -> Bool {
        guard let opener = tokens[statement.first].opener, let closer = tokens[opener].partner else { return true }
        let others = statements.filter {
            tokens[$0.first].opener == opener && $0.first != statement.first && $0.first > opener && $0.first < closer
        }
        guard others.isEmpty, opener > 0 else { return false }
        if ["else", "do", "defer", "catch", "repeat"].contains(tokens[opener - 1].text) { return false }
        guard let header = statements.last(where: { $0.first < opener && $0.last >= opener }) else { return true }
        let words = tokens[header.first..<opener].map(\.text)
        if ["if", "for", "while", "guard", "switch"].contains(words[0]) { return false }
        if words.contains("func") || words.contains("init") || words.contains("deinit") { return words.contains("->") }
        if words.contains("var") || words.contains("subscript") || words[0] == "get" { return true }
        return tokens[opener].line == tokens[closer].line
    }

    /// True for an assignment in an initializer: without it the compiler misses a value.
    func isInitialization(_ statement: Statement) -> Bool {
        guard isAssignment(statement), let opener = tokens[statement.first].opener,
            let header = statements.last(where: { $0.first < opener && $0.last >= opener })
        else { return false }
        let around = tokens[header.first].opener
        return tokens[header.first..<opener].contains { $0.text == "init" && $0.opener == around }
    }

    mutating func findDeletion(_ statement: Statement) {
        guard isSimple(statement), !mayBeResult(statement), !isInitialization(statement) else { return }
        let text = text(statement)
        add(
            .deletion, at: statement.first, "`\(shown(text))` left out", range(statement.first, statement.last),
            "if !\(Mutation.condition) { \(text) }")
    }

    mutating func findAssignment(_ statement: Statement) {
        guard isSimple(statement), !mayBeResult(statement) else { return }
        let opener = tokens[statement.first].opener
        for index in statement.first...statement.last where tokens[index].opener == opener && tokens[index].isBinary {
            guard let other = MutationFinder.assignments[tokens[index].text] else { continue }
            let whole = range(statement.first, statement.last)
            let changed =
                text(whole.lowerBound..<tokens[index].range.lowerBound) + other
                + text(tokens[index].range.upperBound..<whole.upperBound)
            add(
                .arithmetic, at: index, "`\(tokens[index].text)` becomes `\(other)` in `\(shown(text(whole)))`", whole,
                "if \(Mutation.condition) { \(changed) } else { \(text(whole)) }")
        }
    }

    /// Only calls: the order of two assignments rarely matters, and neither does that of two stores into a buffer.
    mutating func findExchange(_ first: Statement, _ second: Statement) {
        guard isSimple(first), isSimple(second), !isAssignment(first), !isAssignment(second),
            tokens[first.first].opener == tokens[second.first].opener,
            first.last < second.first, tokens[(first.last + 1)..<second.first].allSatisfy({ $0.kind == .lineEnd })
        else { return }
        let (one, two) = (text(first), text(second))
        if one.firstMatch(of: /^\w+\.store\(/) != nil { return }
        add(
            .exchange, at: first.first, "`\(shown(two))` before `\(shown(one))`", range(first.first, second.last),
            "if \(Mutation.condition) {\n\(two)\n\(one)\n} else {\n\(one)\n\(two)\n}")
    }

    mutating func findEarlyReturn(_ statement: Statement) {
        let all = statement.first...statement.last
        let headEnd = all.first { tokens[$0].text == "{" && tokens[$0].opener == tokens[statement.first].opener }
        guard let headEnd, let word = (statement.first..<headEnd).first(where: { tokens[$0].text == "func" }),
            tokens[statement.first..<headEnd].allSatisfy({ $0.text != "->" || $0.opener != tokens[word].opener }),
            let closer = tokens[headEnd].partner, closer > headEnd + 1
        else { return }
        let name = tokens[word + 1]
        add(
            .earlyReturn, at: headEnd, "`\(name.text)` returns at once", tokens[headEnd].range,
            "{ if \(Mutation.condition) { return }; ")
    }
}
