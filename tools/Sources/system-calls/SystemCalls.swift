import ShaleEngine

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

/// The operations on a store that strace observes.
enum Script: String, CaseIterable {
    /// Everything that creates, refers to and removes files, with appended logs, whose writes strace can see.
    case written
    /// The same with mapped logs.
    case mapped
    /// Synced writes until one fails, then all other kinds of writes. strace makes a call fail.
    case failing

    func run(at path: String) throws -> Int32 {
        switch self {
        case .written, .mapped:
            for round in 0..<2 { try use(try open(path), round) }
            return 0
        case .failing: return try fail(try open(path))
        }
    }

    private func open(_ path: String) throws -> Engine {
        var options = Engine.Options()
        options.memtableBytes = 64 << 10
        options.memoryBudget = 8 << 20
        options.segmentBytes = 64 << 10
        options.upperSegmentBytes = 16 << 10
        options.baseLevelBytes = 64 << 10
        options.fanOut = 4
        options.compactionThreads = 1
        options.syncInterval = nil
        options.mapsLogs = self == .mapped
        return try Engine.open(at: path, options: options)
    }

    private func use(_ engine: Engine, _ round: Int) throws {
        let kept = try engine.createNamespace(named: Array("kept".utf8))
        let passing = try engine.createNamespace(named: Array("passing \(round)".utf8))
        for step in 0..<400 {
            try put(step, in: step % 3 == 0 ? passing : kept, isSynced: step % 23 == 22, engine)
        }
        try engine.purge([kept])
        try engine.truncate([passing])
        try engine.flush()
        try engine.compact()
        try engine.drop([passing])
        for step in 0..<40 { try put(step, in: kept, isSynced: step % 7 == 6, engine) }
        try engine.close()
    }

    /// Puts an entry. A synced write is between two marks, which the checker finds in the trace.
    private func put(_ step: Int, in namespace: NamespaceID, isSynced: Bool, _ engine: Engine) throws {
        var options = PutOptions()
        options.isPurgeable = step % 2 == 0
        let key = Array("key-\((step * 7919) % 1000)".utf8)
        let value = [UInt8](repeating: UInt8(truncatingIfNeeded: step), count: 900)
        if isSynced { Mark.syncedWriteBegins.write() }
        try engine.put(value, forKey: key, in: namespace, options: options, durability: isSynced ? .synced : .buffered)
        if isSynced { Mark.syncedWriteReturned.write() }
    }

    /// Returns 0 if a write failed and every later one was refused.
    private func fail(_ engine: Engine) throws -> Int32 {
        let namespace = try engine.createNamespace(named: Array("kept".utf8))
        var step = 0
        while step < 2000, succeeds({ try put(step, in: namespace, isSynced: step % 3 == 2, engine) }) { step += 1 }
        guard step < 2000 else { return 3 }
        Mark.writeFailed.write()
        let later: [() throws -> Void] = [
            { try put(1, in: namespace, isSynced: true, engine) },
            { try put(2, in: namespace, isSynced: false, engine) },
            { try engine.purge([namespace]) }, { try engine.createNamespace(named: [1]) }, { try engine.sync() },
        ]
        for (index, write) in later.enumerated() where succeeds(write) {
            throw UnexpectedSuccess(step: index)
        }
        // Reads still work; the outcome of closing is not checked here.
        _ = try engine.entries(in: namespace)
        _ = succeeds { try engine.close() }
        return 0
    }

    private func succeeds(_ body: () throws -> Void) -> Bool {
        do {
            try body()
            return true
        } catch {
            return false
        }
    }
}

struct UnexpectedSuccess: Error {
    let step: Int
}

/// A mark in the trace: a line that one call writes to standard output.
enum Mark: String {
    case syncedWriteBegins = "mark: synced write begins\n"
    case syncedWriteReturned = "mark: synced write returned\n"
    case writeFailed = "mark: write failed\n"

    func write() {
        // The method shadows the function.
        #if canImport(Darwin)
            let put = unsafe Darwin.write
        #else
            let put = unsafe Glibc.write
        #endif
        let written = unsafe rawValue.withCString { unsafe put(1, $0, strlen($0)) }
        precondition(written == rawValue.utf8.count)
    }
}
