/// Mutations of conditions and expressions.
extension MutationFinder {
    // MARK: Conditions

    mutating func findConditions(_ statement: Statement) {
        // `else if` is part of the statement that it belongs to.
        let opener = tokens[statement.first].opener
        for index in statement.first...statement.last where tokens[index].opener == opener {
            guard ["if", "guard", "while"].contains(tokens[index].text) else { continue }
            findElements(after: index, opener)
        }
    }

    mutating func findElements(after keyword: Int, _ opener: Int?) {
        var first = keyword + 1
        var index = first
        while index < tokens.count {
            let token = tokens[index]
            if token.kind == .bracket, token.text != "{", let partner = token.partner, partner > index {
                index = partner + 1
                continue
            }
            if token.text == "{" || token.text == "else" || token.text == "," {
                var last = index - 1
                while last > first, tokens[last].kind == .lineEnd { last -= 1 }
                while first < last, tokens[first].kind == .lineEnd { first += 1 }
                negate(first, last)
                if token.text != "," { return }
                first = index + 1
            }
            index += 1
        }
    }

    mutating func negate(_ first: Int, _ last: Int) {
        guard first <= last, !["let", "var", "case"].contains(tokens[first].text), !tokens[first].text.hasPrefix("#"),
            tokens[first].text != "true", tokens[first].text != "false"
        else { return }
        let (marks, begin) = marks(from: first, to: last)
        let whole = range(begin, last)
        add(
            .negation, at: first, "`\(shown(text(range(first, last))))` negated", range(first, last),
            "\(marks)(\(Mutation.condition) != (\(text(whole))))")
    }

    /// `try` and `unsafe` at the beginning cover what is to the right of them, and stay there.
    func marks(from first: Int, to last: Int) -> (String, Int) {
        var begin = first
        var marks = ""
        while begin < last, ["try", "unsafe", "await"].contains(tokens[begin].text) {
            marks += tokens[begin].text + " "
            begin += 1
        }
        return (marks, begin)
    }

    // MARK: Expressions

    mutating func findInExpression(_ index: Int) {
        let token = tokens[index]
        switch token.kind {
        case .symbol where token.isBinary:
            if let other = MutationFinder.comparisons[token.text] { exchangeOperator(.comparison, index, other) }
            if let other = MutationFinder.arithmetic[token.text] { exchangeOperator(.arithmetic, index, other) }
            if let other = MutationFinder.logic[token.text] { exchangeOperator(.logic, index, other) }
        case .number: changeInteger(index)
        case .word where token.text == "true" || token.text == "false":
            let other = token.text == "true" ? "false" : "true"
            let switched = token.text == "true" ? "(!\(Mutation.condition))" : Mutation.condition
            guard index > 0, tokens[index - 1].text != "case" else { return }
            add(.boolean, at: index, "`\(token.text)` becomes `\(other)`", token.range, switched)
        default: return
        }
    }

    mutating func changeInteger(_ index: Int) {
        let token = tokens[index]
        let next = index + 1 < tokens.count ? tokens[index + 1] : nil
        let previous = index > 0 ? tokens[index - 1] : nil
        // No parts of fractions, no members of tuples, no patterns.
        if let next, next.text.hasPrefix("."), !next.hasSpaceBefore, !next.text.hasPrefix("..") { return }
        if let previous, previous.text.hasSuffix("."), !previous.text.hasSuffix("..") { return }
        if previous?.text == "case" || previous?.text == "-" && previous?.hasSpaceAfter == false { return }
        let digits = token.text.replacing("_", with: "")
        let value = digits.hasPrefix("0x") ? UInt64(digits.dropFirst(2), radix: 16) : UInt64(digits)
        guard let value, value < UInt64(Int32.max) else { return }
        for other in value == 0 ? [1] : [value - 1, value + 1] {
            add(
                .integer, at: index, "`\(token.text)` becomes \(other)", token.range,
                "(\(Mutation.condition) ? \(other) : \(token.text))")
        }
    }

    /// Words and signs at which an expression ends to the left and to the right.
    static let leftEnds: Set = ["return", "throw", "in", "where", "if", "guard", "while", "case", "else", "->"]
    static let rightEnds: Set = ["else", "where", "->", ";"]

    mutating func exchangeOperator(_ kind: Mutation.Operator, _ index: Int, _ other: String) {
        guard let region = region(around: index) else { return }
        let (marks, begin) = marks(from: region.lowerBound, to: region.upperBound)
        guard begin < index else { return }
        let whole = range(begin, region.upperBound)
        let changed =
            text(whole.lowerBound..<tokens[index].range.lowerBound) + other
            + text(tokens[index].range.upperBound..<whole.upperBound)
        let original = text(whole)
        add(
            kind, at: index, "`\(tokens[index].text)` becomes `\(other)` in `\(shown(original))`",
            range(region.lowerBound, region.upperBound),
            "\(marks)(\(Mutation.condition) ? (\(changed)) : (\(original)))")
    }

    /// The tokens of the expression, within the same brackets, that an operator is in.
    func region(around index: Int) -> ClosedRange<Int>? {
        let opener = tokens[index].opener
        let isStatement = opener.map { tokens[$0].text == "{" } ?? true
        let start = statements.last { $0.first <= index && $0.last >= index && tokens[$0.first].opener == opener }
        if isStatement, start == nil { return nil }
        var first = index
        while first > 0 {
            let before = tokens[first - 1]
            if first - 1 == opener || isStatement && first == start?.first { break }
            if before.kind == .bracket, let partner = before.partner, partner < first - 1 {
                first = partner
                continue
            }
            if isEnd(before, MutationFinder.leftEnds) { break }
            first -= 1
        }
        let isControl =
            start.map { ["if", "guard", "while", "for", "switch"].contains(tokens[$0.first].text) } ?? false
        var last = index
        while last + 1 < tokens.count {
            let after = tokens[last + 1]
            if isStatement, last == start?.last { break }
            if after.kind == .bracket, after.text == "}" || after.text == ")" || after.text == "]" { break }
            if isStatement, isControl, after.text == "{" { break }
            if isEnd(after, MutationFinder.rightEnds) { break }
            if after.kind == .bracket, let partner = after.partner, partner > last + 1 {
                last = partner
                continue
            }
            last += 1
        }
        while first < last, tokens[first].kind == .lineEnd { first += 1 }
        while last > first, tokens[last].kind == .lineEnd { last -= 1 }
        return first < index && last > index ? first...last : nil
    }

    func isEnd(_ token: Token, _ words: Set<String>) -> Bool {
        if token.text == "," || token.text == ":" || token.text == ";" { return true }
        if token.kind == .word { return words.contains(token.text) }
        guard token.kind == .symbol else { return false }
        if token.text == "?" || token.text == "->" { return token.hasSpaceBefore }
        return token.isBinary && token.text.hasSuffix("=") && !isComparison(token)
    }
}
