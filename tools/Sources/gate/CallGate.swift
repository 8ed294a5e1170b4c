import Foundation

/// Searches for runtime calls in the machine code of the hot functions and of everything that they call.
struct CallGate {
    private let options: Options
    private let file: URL

    init(_ options: Options) {
        self.options = options
        file = URL(fileURLWithPath: options.files).appendingPathComponent(CallRules.fileName)
    }

    /// Returns true if there are no calls but those that the rules allow, and no rule that matches nothing.
    func run() async throws -> Bool {
        let rules = try CallRules(String(contentsOf: file, encoding: .utf8))
        let disassembly = try await Disassembly.of(options.binary)
        let search = CallSearch(disassembly, names: try await Demangler.names(of: disassembly.symbols), rules)
        let isUpToDate = try settle(search.stale, rules)
        report(search)
        return search.findings.isEmpty && isUpToDate
    }

    private func settle(_ stale: Set<CallRules.Rule>, _ rules: CallRules) throws -> Bool {
        guard !stale.isEmpty else { return true }
        let lost = stale.filter { if case .hot = $0 { true } else { false } }
        for case .hot(let name) in lost { print("no function is named \(name), which is to be checked: renamed?") }
        let removable = stale.subtracting(lost)
        if options.updates {
            try Data(rules.text(without: removable).utf8).write(to: file)
            if !removable.isEmpty { print("removed \(removable.count) rules that met nothing from \(file.path)") }
            return lost.isEmpty
        }
        for line in rules.lines {
            if let rule = line.rule, removable.contains(rule) { print("met nothing: \(line.text)") }
        }
        print("Rules that meet nothing hide what they were not written for: tools/gate --update removes them.")
        return false
    }

    private func report(_ search: CallSearch) {
        let hot = search.used.count { if case .hot = $0 { true } else { false } }
        let allowed = search.used.count { if case .allow = $0 { true } else { false } }
        let cold = search.used.count { if case .cold = $0 { true } else { false } }
        for finding in search.findings {
            print("\(finding.kind.rawValue): \(finding.path.joined(separator: " -> ")) -> \(finding.callee)")
        }
        if !search.findings.isEmpty {
            print(
                """
                These calls are on hot paths, or look as if they were. Take them out; or, where they are never made in \
                the
                steady state, say so in \(file.path): `cold FUNCTION | REASON`, or
                """)
            for line in Set(search.findings.map { "allow \($0.caller) -> \($0.kind.rawValue) | REASON" }).sorted() {
                print(line)
            }
        }
        print(
            "calls: \(hot) hot functions, \(search.visited.count) functions looked into, \(search.findings.count) calls"
                + " that should not be there, \(allowed) allowed, \(cold) cold functions not looked into")
    }
}

extension Disassembly {
    /// All symbols that occur.
    var symbols: Set<String> {
        var symbols = Set(calls.keys)
        for case .own(let symbol) in calls.values.joined() { symbols.insert(symbol) }
        for case .foreign(let symbol) in calls.values.joined() { symbols.insert(symbol) }
        return symbols
    }
}

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
