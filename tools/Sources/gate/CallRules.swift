import Foundation

/// The rules file: where the search for calls begins, where it stops, and which calls are allowed.
struct CallRules: Equatable {
    enum Rule: Hashable {
        /// A function that must not make such calls, directly or indirectly.
        case hot(String)
        /// A function that is not entered in the steady state, so the search skips it.
        case cold(String)
        /// An accepted call: its kind, or the name of the called function.
        case allow(caller: String, callee: String)
    }

    struct Line: Equatable {
        let rule: Rule?
        let text: String
    }

    static let fileName = "calls.txt"

    private(set) var lines: [Line]

    init(_ text: String) throws {
        lines = try text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            Line(rule: try CallRules.parse(String(line)), text: String(line))
        }
    }

    private static func parse(_ line: String) throws -> Rule? {
        if line.isEmpty || line.hasPrefix("#") { return nil }
        let parts = line.components(separatedBy: " | ")
        guard let space = parts[0].firstIndex(of: " ") else { throw GateError("\(fileName): no rule: \(line)") }
        let name = String(parts[0][parts[0].index(after: space)...]).trimmed
        let hasReason = parts.count == 2 && !parts[1].trimmed.isEmpty
        switch parts[0][..<space] {
        case "hot": return .hot(name)
        case "cold" where hasReason: return .cold(name)
        case "allow" where hasReason:
            let ends = name.components(separatedBy: " -> ")
            guard ends.count == 2 else { throw GateError("\(fileName): no call: \(line)") }
            return .allow(caller: ends[0].trimmed, callee: ends[1].trimmed)
        default: throw GateError("\(fileName): neither hot, cold nor allow with a reason behind \" | \": \(line)")
        }
    }

    var rules: Set<Rule> { Set(lines.compactMap(\.rule)) }

    /// Returns the file without the rules in `stale`.
    func text(without stale: Set<Rule>) -> String {
        lines.filter { line in line.rule.map { !stale.contains($0) } ?? true }.map(\.text).joined(separator: "\n")
    }
}

extension String {
    var trimmed: String {
        let end = lastIndex { $0 != " " }.map(index(after:)) ?? startIndex
        return String(self[(firstIndex { $0 != " " } ?? end)..<end])
    }
}
