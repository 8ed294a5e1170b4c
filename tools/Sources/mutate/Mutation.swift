/// One change that can be made to a file.
struct Mutation: Sendable {
    enum Operator: String, CaseIterable, Sendable {
        case negation = "negated condition"
        case comparison
        case arithmetic
        case logic
        case deletion = "statement left out"
        case exchange = "statements exchanged"
        case earlyReturn = "early return"
        case integer = "integer"
        case boolean = "boolean"
    }

    let kind: Operator
    let path: String
    let line: Int
    /// The source line without the blanks around it: with `change`, what identifies a mutation beyond edits elsewhere.
    let sourceLine: String
    /// A description of the change.
    let change: String
    /// The bytes of the file that `replacement` takes the place of.
    let range: Range<Int>
    /// Source with ``Mutation/condition`` where the switch belongs.
    let replacement: String

    /// Stands for the switch in ``replacement``.
    static let condition = "\u{1}"

    var identity: Identity { Identity(path: path, sourceLine: sourceLine, change: change) }

    struct Identity: Hashable, Sendable {
        let path: String
        let sourceLine: String
        let change: String
    }
}
