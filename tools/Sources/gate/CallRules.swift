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

/// The calls that a hot path should not make.
enum RuntimeCall: String, CaseIterable {
    case referenceCount = "reference count"
    case allocation
    case exclusivity = "exclusivity check"
    /// The initialization of a global or static variable.
    case lazyInitialisation = "lazy initialisation"
    /// Metadata, casts, witness tables, uniqueness: generics that were not specialised, existentials, arrays.
    case runtime
    /// A function of the standard library or of Foundation that was not specialised or inlined.
    case library
    /// A call through a pointer: a witness, a method that may be overridden, a closure.
    case indirect = "indirect call"

    /// Classifies a call of `symbol` in another object (a shared library); `nil` if the call is allowed.
    init?(symbol: String) {
        if symbol.hasPrefix("swift_willThrow") || symbol == "swift_unexpectedError" { return nil }
        if RuntimeCall.allocators.contains(symbol) || symbol.hasPrefix("swift_alloc") || symbol.hasPrefix("swift_slow")
            || symbol.hasPrefix("swift_dealloc")
        {
            self = .allocation
        } else if symbol.hasPrefix("swift_retain") || symbol.hasPrefix("swift_release")
            || symbol.hasPrefix("swift_bridgeObject") || symbol.hasPrefix("swift_unknownObject")
            || symbol.hasPrefix("swift_unowned") || symbol.hasPrefix("swift_weak")
        {
            self = .referenceCount
        } else if symbol.hasPrefix("swift_beginAccess") || symbol.hasPrefix("swift_endAccess") {
            self = .exclusivity
        } else if symbol.hasPrefix("swift_once") {
            self = .lazyInitialisation
        } else if symbol.hasPrefix("swift_") {
            self = .runtime
        } else if symbol.hasPrefix("$s") || symbol.hasPrefix("_ZN5swift") {
            self = .library
        } else {
            return nil
        }
    }

    private static let allocators: Set<String> = [
        "malloc", "calloc", "realloc", "free", "posix_memalign", "aligned_alloc", "memalign",
    ]
}
