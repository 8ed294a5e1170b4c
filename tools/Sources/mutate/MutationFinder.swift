/// Finds every mutation that the operators allow in one file.
struct MutationFinder {
    let path: String
    let source: [UInt8]
    let lines: [Substring]
    let tokens: [Token]
    let statements: [Statement]
    var found: [Mutation] = []

    /// Statements with one of these words are left alone: they count, check or trace, or are hints that change no
    /// behaviour.
    static let untouched: Set = [
        "assert", "assertionFailure", "precondition", "preconditionFailure", "fatalError", "counters", "counts",
        "statistics", "SchedulePoint", "reserveCapacity", "withExtendedLifetime", "import", "typealias",
    ]
    static let declarations: Set = [
        "let", "var", "func", "if", "guard", "while", "for", "switch", "return", "throw", "defer", "do", "case",
        "default", "import", "class", "struct", "enum", "extension", "protocol", "init", "deinit", "static", "private",
        "package", "public", "internal", "fileprivate", "final", "override", "mutating", "nonmutating", "indirect",
        "subscript", "typealias", "break", "continue", "repeat", "weak", "lazy", "nonisolated", "fallthrough",
        "borrowing", "consuming", "super", "get", "set", "convenience", "required", "actor", "operator", "else",
        "catch", "unowned",
    ]
    static let comparisons = ["<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="]
    static let arithmetic = [
        "+": "-", "-": "+", "&+": "&-", "&-": "&+", "*": "+", "<<": ">>", ">>": "<<", "&": "|", "|": "&",
    ]
    static let assignments = ["+=": "-=", "-=": "+=", "&+=": "&-=", "&-=": "&+="]
    static let logic = ["&&": "||", "||": "&&"]

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

    mutating func run() {
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
    func untouchedTokens() -> [Bool] {
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

    func text(_ range: Range<Int>) -> String { String(decoding: source[range], as: UTF8.self) }

    func range(_ first: Int, _ last: Int) -> Range<Int> {
        tokens[first].range.lowerBound..<tokens[last].range.upperBound
    }

    func text(_ statement: Statement) -> String { text(range(statement.first, statement.last)) }

    /// Shortened to one line, for people.
    func shown(_ text: String) -> String {
        let line = text.split { $0 == "\n" || $0 == " " }.joined(separator: " ")
        return line.count <= 60 ? line : line.prefix(57) + "..."
    }

    mutating func add(
        _ kind: Mutation.Operator, at token: Int, _ change: String, _ range: Range<Int>, _ replacement: String
    ) {
        let line = tokens[token].line
        found.append(
            Mutation(
                kind: kind, path: path, line: line, sourceLine: lines[line - 1].trimmedOfBlanks, change: change,
                range: range, replacement: replacement))
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
