#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Two halves of one test, run by tools/system-calls. `drive STORE SCRIPT` uses a store under strace. `check TRACE
/// STORE` decides whether the trace obeys the contract of DESIGN.md, "Contract".
@main
enum SystemCalls {
    static func main() {
        do {
            exit(try run(Array(CommandLine.arguments.dropFirst())))
        } catch {
            say("system-calls: \(error)")
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws -> Int32 {
        switch (arguments.first, arguments.count) {
        case ("drive", 3):
            guard let script = Script(rawValue: arguments[2]) else { return usage() }
            return try script.run(at: arguments[1])
        case ("check", 3):
            return try check(Trace(contentsOf: arguments[1]), store: arguments[2])
        default: return usage()
        }
    }

    private static func check(_ trace: Trace, store: String) -> Int32 {
        let history = History(trace, store: store)
        var violations = Contract.rules.flatMap { rule in rule.check(history).map { "\(rule.name): \($0)" } }
        // A trace that can't be parsed would obey every rule.
        if history.references.isEmpty || history.renames.isEmpty || history.marks.isEmpty {
            violations.append("the trace shows no manifest, no CURRENT or no synced write")
        }
        violations.forEach(say)
        print("COVERED \(trace.calls.count) system calls checked")
        print("COVERED \(history.failures.count) failed system calls checked")
        return violations.isEmpty ? 0 : 1
    }

    private static func usage() -> Int32 {
        say("system-calls drive STORE \(Script.allCases.map(\.rawValue).joined(separator: "|")) | check TRACE STORE")
        return 64
    }

    /// Writes a line to standard error.
    private static func say(_ text: String) {
        let line = text + "\n"
        let written = unsafe line.withCString { unsafe write(2, $0, strlen($0)) }
        if written < 0 { exit(1) }
    }
}
