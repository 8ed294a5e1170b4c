import Shale

/// Reads conditions and orders from text: a parser by recursive descent into the ``Filter`` that predicates become.
///
/// ```
/// condition = conjunction {"or" conjunction}
/// conjunction = negation {"and" negation}
/// negation = "not" negation | "(" condition ")" | "true" | "false" | test
/// test = field [comparison literal | "is" ["not"] "null" | ["not"] range | ["not"] list | ["not"] prefix]
/// comparison = "=" | "==" | "!=" | "<>" | "<" | "<=" | ">" | ">="
/// range = "between" literal "and" literal
/// list = "in" "(" literal {"," literal} ")"
/// prefix = "starts" "with" text
/// order = field ["asc" | "desc"] {"," field ["asc" | "desc"]}
/// ```
/// Keywords are in small or capital letters. A field that is named as a keyword, or otherwise than a word, is written
/// in backquotes. Literals have the kinds of their fields: ``ConditionLiteral``.
struct ConditionParser {
    /// The levels of parentheses and negations that a condition may have.
    static var depthMax: Int { 64 }

    private let fields: [FieldLayout]
    private var lexer: ConditionLexer
    private var token = ConditionToken.end

    private init(_ text: String, _ fields: [FieldLayout]) throws(ConditionMistake) {
        self.fields = fields
        lexer = try ConditionLexer(text)
        token = try lexer.next()
    }

    /// Returns the filter of a condition.
    static func filter(_ text: String, _ fields: [FieldLayout]) throws(ConditionMistake) -> Filter {
        var parser = try ConditionParser(text, fields)
        let filter = try parser.condition(depth: 0)
        try parser.requireEnd()
        return filter
    }

    /// Returns the criteria of an order.
    static func order(
        _ text: String, _ fields: [FieldLayout]
    ) throws(ConditionMistake) -> [(field: Int, isDescending: Bool)] {
        var parser = try ConditionParser(text, fields)
        var order: [(field: Int, isDescending: Bool)] = []
        repeat {
            let field = try parser.field()
            let isDescending = try parser.skip("desc")
            if !isDescending { _ = try parser.skip("asc") }
            order.append((field, isDescending))
        } while try parser.skip(sign: ",")
        try parser.requireEnd()
        return order
    }

    // MARK: Conditions

    private mutating func condition(depth: Int) throws(ConditionMistake) -> Filter {
        guard depth < Self.depthMax else {
            throw lexer.mistake("the condition is nested deeper than \(Self.depthMax) levels")
        }
        var parts = [try conjunction(depth)]
        while try skip("or") { parts.append(try conjunction(depth)) }
        return parts.count == 1 ? parts[0] : .or(parts)
    }

    private mutating func conjunction(_ depth: Int) throws(ConditionMistake) -> Filter {
        var parts = [try negation(depth)]
        while try skip("and") { parts.append(try negation(depth)) }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    private mutating func negation(_ depth: Int) throws(ConditionMistake) -> Filter {
        var isNegated = false
        while try skip("not") { isNegated.toggle() }
        let filter = try operand(depth)
        return isNegated ? .not(filter) : filter
    }

    private mutating func operand(_ depth: Int) throws(ConditionMistake) -> Filter {
        if try skip(sign: "(") {
            let filter = try condition(depth: depth + 1)
            try require(sign: ")")
            return filter
        }
        if try skip("true") { return .constant(true) }
        if try skip("false") { return .constant(false) }
        return try test()
    }

    private mutating func test() throws(ConditionMistake) -> Filter {
        let place = lexer
        let field = try field()
        if case .sign(let sign) = token, let (comparison, isNegated) = Self.comparisons[sign] {
            try advance()
            let filter = try compare(field, comparison)
            return isNegated ? .not(filter) : filter
        }
        if try skip("is") {
            let isNegated = try skip("not")
            guard try skip("null") else { throw unexpected("null") }
            let filter: Filter = .compare(field, .equal, .null)
            return isNegated ? .not(filter) : filter
        }
        let isNegated = try skip("not")
        if let filter = try set(field) { return isNegated ? .not(filter) : filter }
        if isNegated { throw unexpected("between, in or starts with") }
        guard fields[field].kind == .boolean else {
            throw place.mistake("a comparison is missing behind a field field=\(fields[field].name)")
        }
        return .compare(field, .equal, .bool(true))
    }

    private static var comparisons: [String: (ComparisonOperator, isNegated: Bool)] {
        [
            "=": (.equal, false), "==": (.equal, false), "!=": (.equal, true), "<>": (.equal, true),
            "<": (.less, false), "<=": (.lessOrEqual, false), ">": (.greater, false), ">=": (.greaterOrEqual, false),
        ]
    }

    private mutating func compare(
        _ field: Int, _ comparison: ComparisonOperator
    ) throws(ConditionMistake) -> Filter {
        if comparison != .equal, token.isKeyword("null") { throw lexer.mistake("null has no order; use: is null") }
        return .compare(field, comparison, try literal(field))
    }

    /// Returns the filter of a range, a list or a prefix; `nil` if none of them follows.
    private mutating func set(_ field: Int) throws(ConditionMistake) -> Filter? {
        if try skip("between") {
            let lower = try compare(field, .greaterOrEqual)
            guard try skip("and") else { throw unexpected("and") }
            return .and([lower, try compare(field, .lessOrEqual)])
        }
        if try skip("in") {
            try require(sign: "(")
            var values = [try literal(field)]
            while try skip(sign: ",") { values.append(try literal(field)) }
            try require(sign: ")")
            return .oneOf(field, values)
        }
        guard try skip("starts") else { return nil }
        guard try skip("with") else { throw unexpected("with") }
        guard fields[field].kind == .text else {
            throw lexer.mistake("only a text has a beginning field=\(fields[field].name)")
        }
        guard case .text(let prefix) = token else { throw unexpected("a text in quotes") }
        try advance()
        return .prefix(field, Array(prefix.utf8))
    }

    // MARK: Parts

    private mutating func literal(_ field: Int) throws(ConditionMistake) -> CompositeKey.Element {
        switch ConditionLiteral.element(token, fields[field].kind) {
        case .value(let element):
            try advance()
            return element
        case .wrong(let wanted): throw lexer.mistake("\(wanted) is expected field=\(fields[field].name)")
        }
    }

    private mutating func field() throws(ConditionMistake) -> Int {
        let name: String
        switch token {
        case .word(let word): name = word
        case .name(let quoted): name = quoted
        default: throw unexpected("the name of a field")
        }
        guard let position = fields.firstIndex(where: { FieldOrder.isEqual($0.name, name) }) else {
            throw lexer.mistake("there is no field of this name field=\(name)")
        }
        try advance()
        return position
    }

    private mutating func advance() throws(ConditionMistake) { token = try lexer.next() }

    private mutating func skip(_ keyword: String) throws(ConditionMistake) -> Bool {
        guard token.isKeyword(keyword) else { return false }
        try advance()
        return true
    }

    private mutating func skip(sign: String) throws(ConditionMistake) -> Bool {
        guard token == .sign(sign) else { return false }
        try advance()
        return true
    }

    private mutating func require(sign: String) throws(ConditionMistake) {
        guard try skip(sign: sign) else { throw unexpected(sign) }
    }

    private func requireEnd() throws(ConditionMistake) {
        guard token == .end else { throw unexpected("the end") }
    }

    private func unexpected(_ wanted: String) -> ConditionMistake {
        lexer.mistake(token == .end ? "the text ends where \(wanted) is expected" : "\(wanted) is expected")
    }
}
