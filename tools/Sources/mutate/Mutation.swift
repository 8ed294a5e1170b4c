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

/// Draws mutations: the same ones for the same sources and seed.
struct Draw {
    private var state: UInt64

    init(seed: UInt64, area: String) {
        // FNV-1a: unlike `Hasher` it is the same in every process.
        state = area.utf8.reduce(0xcbf2_9ce4_8422_2325 ^ seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    /// SplitMix64.
    private mutating func next(below bound: Int) -> Int {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return Int((word ^ (word >> 31)) % UInt64(bound))
    }

    /// Draws up to `count` of `all` that do not overlap. Every operator is equally likely, and then every one of its
    /// places.
    mutating func take(_ count: Int, of all: [Mutation]) -> [Mutation] {
        var kinds = Mutation.Operator.allCases.map { kind in all.filter { $0.kind == kind } }
        kinds.removeAll(where: \.isEmpty)
        var taken: [Mutation] = []
        while taken.count < count, !kinds.isEmpty {
            let kind = next(below: kinds.count)
            let mutation = kinds[kind].remove(at: next(below: kinds[kind].count))
            if kinds[kind].isEmpty { kinds.remove(at: kind) }
            if !taken.contains(where: { $0.path == mutation.path && $0.range.overlaps(mutation.range) }) {
                taken.append(mutation)
            }
        }
        return taken
    }
}

/// Mutations that are known to change nothing that a test could see, each with the argument why:
/// tools/support/equivalent-mutations.txt.
///
/// An entry has at least four lines and ends with an empty one: the path, `>` with the source line without the blanks
/// around it, `-` with the change as the table prints it, and the reason.
struct Equivalents {
    private var reasons: [Mutation.Identity: String] = [:]

    init(_ text: String) throws {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("#") }
        for entry in lines.split(whereSeparator: \.isEmpty) {
            let parts = Array(entry)
            guard parts.count >= 4, parts[1].hasPrefix("> "), parts[2].hasPrefix("- ") else {
                throw MutateError("not an equivalent mutation:\n\(parts.joined(separator: "\n"))")
            }
            let identity = Mutation.Identity(
                path: String(parts[0]), sourceLine: String(parts[1].dropFirst(2)), change: String(parts[2].dropFirst(2))
            )
            reasons[identity] = parts[3...].joined(separator: " ")
        }
    }

    func reason(_ mutation: Mutation) -> String? { reasons[mutation.identity] }
}
