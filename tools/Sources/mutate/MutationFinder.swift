/// Finds every mutation that the operators allow in one file.
struct MutationFinder {
    private let path: String
    private let source: [UInt8]
    private let lines: [Substring]
    private let tokens: [Token]
    private let statements: [Statement]
    private var found: [Mutation] = []

    /// Statements with one of these words are left alone: they count, check or trace, or are hints that change no
    /// behaviour.
    private static let untouched: Set = [
        "assert", "assertionFailure", "precondition", "preconditionFailure", "fatalError", "counters", "counts",
        "statistics", "SchedulePoint", "reserveCapacity", "withExtendedLifetime", "import", "typealias",
    ]
    private static let declarations: Set = [
        "let", "var", "func", "if", "guard", "while", "for", "switch", "return", "throw", "defer", "do", "case",
        "default", "import", "class", "struct", "enum", "extension", "protocol", "init", "deinit", "static", "private",
        "package", "public", "internal", "fileprivate", "final", "override", "mutating", "nonmutating", "indirect",
        "subscript", "typealias", "break", "continue", "repeat", "weak", "lazy", "nonisolated", "fallthrough",
        "borrowing", "consuming", "super", "get", "set", "convenience", "required", "actor", "operator", "else",
        "catch", "unowned",
    ]
    private static let comparisons = ["<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="]
    private static let arithmetic = [
        "+": "-", "-": "+", "&+": "&-", "&-": "&+", "*": "+", "<<": ">>", ">>": "<<", "&": "|", "|": "&",
    ]
    private static let assignments = ["+=": "-=", "-=": "+=", "&+=": "&-=", "&-=": "&+="]
    private static let logic = ["&&": "||", "||": "&&"]

    static func mutations(in source: [UInt8], path: String) -> [Mutation] {
        var finder = MutationFinder(source, path)
        finder.run()
        return finder.found
    }

    private init(_ source: [UInt8], _ path: String) {
        self.path = path
        self.source = source
        lines = String(decoding: source, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        let list = StatementList(Tokenizer.tokens(of: source))
        tokens = list.tokens
        statements = list.statements
    }

    private mutating func run() {
        let untouched = untouchedTokens()
        for statement in statements where !untouched[statement.first] {
            findDeletion(statement)
            findAssignment(statement)
            findConditions(statement)
            findEarlyReturn(statement)
        }
        for (first, second) in zip(statements, statements.dropFirst())
        where !untouched[first.first] && !untouched[second.first] {
            findExchange(first, second)
        }
        for index in tokens.indices where !untouched[index] { findInExpression(index) }
    }

    /// Which tokens belong to statements that are left alone.
    private func untouchedTokens() -> [Bool] {
        var result = [Bool](repeating: false, count: tokens.count)
        for statement in statements {
            let all = tokens[statement.first...statement.last]
            let isConstant =
                all.prefix { $0.text != "=" }.contains { $0.text == "static" } && !all.contains { $0.text == "func" }
            let isAttribute = all.first?.text.hasPrefix("#") == true
            // Of a statement with a block, only the part before the block decides.
            let head = all.prefix { $0.text != "{" }
            guard isConstant || isAttribute || head.contains(where: { MutationFinder.untouched.contains($0.text) })
            else {
                continue
            }
            let end = isConstant || isAttribute ? statement.last + 1 : statement.first + head.count
            for index in statement.first..<end { result[index] = true }
        }
        return result
    }

    // MARK: Pieces of source

    private func text(_ range: Range<Int>) -> String { String(decoding: source[range], as: UTF8.self) }

    private func range(_ first: Int, _ last: Int) -> Range<Int> {
        tokens[first].range.lowerBound..<tokens[last].range.upperBound
    }

    private func text(_ statement: Statement) -> String { text(range(statement.first, statement.last)) }

    /// Shortened to one line, for people.
    private func shown(_ text: String) -> String {
        let line = text.split { $0 == "\n" || $0 == " " }.joined(separator: " ")
        return line.count <= 60 ? line : line.prefix(57) + "..."
    }

    private mutating func add(
        _ kind: Mutation.Operator, at token: Int, _ change: String, _ range: Range<Int>, _ replacement: String
    ) {
        let line = tokens[token].line
        found.append(
            Mutation(
                kind: kind, path: path, line: line, sourceLine: lines[line - 1].trimmedOfBlanks, change: change,
                range: range, replacement: replacement))
    }

    // MARK: Statements

    /// True for a call whose value nobody uses, and for an assignment.
    private func isSimple(_ statement: Statement) -> Bool {
        let first = tokens[statement.first]
        guard first.kind == .word, !MutationFinder.declarations.contains(first.text), !first.text.hasPrefix("@"),
            !first.text.hasPrefix("#"), tokens[statement.first].opener != nil
        else { return false }
        let top = tokens[statement.first...statement.last].filter { $0.opener == first.opener }
        if top.contains(where: { $0.text == "in" }) { return false }
        if top.contains(where: { $0.text == "self" }), top.contains(where: { $0.text == "init" }) { return false }
        return isAssignment(statement) || [")", "}"].contains(tokens[statement.last].text)
    }

    private func isAssignment(_ statement: Statement) -> Bool {
        tokens[statement.first...statement.last].contains {
            $0.opener == tokens[statement.first].opener && $0.isBinary && $0.text.hasSuffix("=") && !isComparison($0)
        }
    }

    private func isComparison(_ token: Token) -> Bool { MutationFinder.comparisons[token.text] != nil }

    /// True if the statement is the whole of a block that may return its value. A closure in one line may always.
    private func mayBeResult(_ statement: Statement) -> Bool {
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
    private func isInitialization(_ statement: Statement) -> Bool {
        guard isAssignment(statement), let opener = tokens[statement.first].opener,
            let header = statements.last(where: { $0.first < opener && $0.last >= opener })
        else { return false }
        let around = tokens[header.first].opener
        return tokens[header.first..<opener].contains { $0.text == "init" && $0.opener == around }
    }

    private mutating func findDeletion(_ statement: Statement) {
        guard isSimple(statement), !mayBeResult(statement), !isInitialization(statement) else { return }
        let text = text(statement)
        add(
            .deletion, at: statement.first, "`\(shown(text))` left out", range(statement.first, statement.last),
            "if !\(Mutation.condition) { \(text) }")
    }

    private mutating func findAssignment(_ statement: Statement) {
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
    private mutating func findExchange(_ first: Statement, _ second: Statement) {
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

    private mutating func findEarlyReturn(_ statement: Statement) {
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

    // MARK: Conditions

    private mutating func findConditions(_ statement: Statement) {
        // `else if` is part of the statement that it belongs to.
        let opener = tokens[statement.first].opener
        for index in statement.first...statement.last where tokens[index].opener == opener {
            guard ["if", "guard", "while"].contains(tokens[index].text) else { continue }
            findElements(after: index, opener)
        }
    }

    private mutating func findElements(after keyword: Int, _ opener: Int?) {
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

    private mutating func negate(_ first: Int, _ last: Int) {
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
    private func marks(from first: Int, to last: Int) -> (String, Int) {
        var begin = first
        var marks = ""
        while begin < last, ["try", "unsafe", "await"].contains(tokens[begin].text) {
            marks += tokens[begin].text + " "
            begin += 1
        }
        return (marks, begin)
    }

    // MARK: Expressions

    private mutating func findInExpression(_ index: Int) {
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

    private mutating func changeInteger(_ index: Int) {
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
    private static let leftEnds: Set = ["return", "throw", "in", "where", "if", "guard", "while", "case", "else", "->"]
    private static let rightEnds: Set = ["else", "where", "->", ";"]

    private mutating func exchangeOperator(_ kind: Mutation.Operator, _ index: Int, _ other: String) {
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
    private func region(around index: Int) -> ClosedRange<Int>? {
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

    private func isEnd(_ token: Token, _ words: Set<String>) -> Bool {
        if token.text == "," || token.text == ":" || token.text == ";" { return true }
        if token.kind == .word { return words.contains(token.text) }
        guard token.kind == .symbol else { return false }
        if token.text == "?" || token.text == "->" { return token.hasSpaceBefore }
        return token.isBinary && token.text.hasSuffix("=") && !isComparison(token)
    }
}

extension StringProtocol {
    var trimmedOfBlanks: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest = rest.dropFirst() }
        while rest.last?.isWhitespace == true { rest = rest.dropLast() }
        return String(rest)
    }
}
