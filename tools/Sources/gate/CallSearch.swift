/// Follows the calls from the hot functions and collects those that are not allowed.
struct CallSearch {
    struct Finding: Hashable {
        /// The call path from the hot function to the caller.
        let path: [String]
        let callee: String
        let kind: RuntimeCall

        var caller: String { path.last ?? "" }
    }

    private let disassembly: Disassembly
    private let names: [String: String]
    private let rules: Set<CallRules.Rule>

    private(set) var findings: [Finding] = []
    private(set) var used: Set<CallRules.Rule> = []
    /// The functions that were searched.
    private(set) var visited: Set<String> = []

    init(_ disassembly: Disassembly, names: [String: String], _ rules: CallRules) {
        self.disassembly = disassembly
        self.names = names
        self.rules = rules.rules
        for symbol in disassembly.calls.keys.sorted() {
            let rule = CallRules.Rule.hot(name(symbol))
            if self.rules.contains(rule) {
                used.insert(rule)
                follow(symbol)
            }
        }
    }

    /// Rules that matched nothing: the code has changed, and they could hide calls for which they were not written.
    var stale: Set<CallRules.Rule> { rules.subtracting(used) }

    private mutating func follow(_ root: String) {
        guard visited.insert(root).inserted else { return }
        // Breadth first, so that the path shown for a finding is short.
        var waiting: [(symbol: String, path: [String])] = [(root, [name(root)])]
        while !waiting.isEmpty {
            var next: [(symbol: String, path: [String])] = []
            for (symbol, path) in waiting {
                for target in sorted(disassembly.calls[symbol] ?? []) {
                    if let callee = judge(target, path), visited.insert(callee).inserted {
                        next.append((callee, path + [name(callee)]))
                    }
                }
            }
            waiting = next
        }
    }

    /// Records a call that is not allowed. Returns the function to search next, if there is one.
    private mutating func judge(_ target: Disassembly.Target, _ path: [String]) -> String? {
        switch target {
        case .pointer: note(path, RuntimeCall.indirect.rawValue, .indirect)
        case .foreign(let symbol):
            if let kind = RuntimeCall(symbol: symbol) { note(path, name(symbol), kind) }
        case .own(let symbol):
            let rule = CallRules.Rule.cold(name(symbol))
            if !rules.contains(rule) { return symbol }
            used.insert(rule)
        }
        return nil
    }

    private mutating func note(_ path: [String], _ callee: String, _ kind: RuntimeCall) {
        let finding = Finding(path: path, callee: callee, kind: kind)
        let allowed = [
            CallRules.Rule.allow(caller: finding.caller, callee: callee),
            .allow(caller: finding.caller, callee: kind.rawValue),
        ].filter(rules.contains)
        used.formUnion(allowed)
        if allowed.isEmpty { findings.append(finding) }
    }

    private func name(_ symbol: String) -> String { names[symbol] ?? symbol }

    private func sorted(_ targets: Set<Disassembly.Target>) -> [Disassembly.Target] {
        targets.sorted { "\($0)" < "\($1)" }
    }
}
