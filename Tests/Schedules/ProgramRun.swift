import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// One run of a program under one schedule, and what has to hold after it.
final class ProgramRun: @unchecked Sendable {
    private let program: Program
    private let files = SimulatedFileSystem(seed: 1)
    private let time = ManualTime()
    private var engine: Engine?
    private var namespace = NamespaceID(rawValue: 0)
    // Only the running thread touches these.
    private(set) var calls: [Call] = []
    private var clock = 0
    private var nextValue = 100
    private var fileOperations = 0
    private var crash: (disk: SimulatedFileSystem, moment: Int)?
    private var copies = 0

    init(_ program: Program) { self.program = program }

    /// What is wrong after the run, nil if nothing is.
    func run(_ scheduler: ThreadScheduler) throws -> String? {
        files.recordsOperations = false
        try prepare()
        scheduler.earlyTimeouts = program.earlyTimeouts
        scheduler.timeMoved = { [time] now in
            let ahead = now &- min(now, time.monotonicNanoseconds)
            time.advance(milliseconds: ahead / 1_000_000 + 1)
        }
        var failure: String?
        scheduler.run { [self] in
            do {
                try runThreads()
            } catch {
                failure = "the program could not run: \(error)"
            }
        }
        return try failure ?? check()
    }

    /// A store with something in it, made before the exploration begins.
    private func prepare() throws {
        let first = try open(files, .inline)
        namespace = try first.createNamespace(named: Array("n".utf8))
        try first.close()
    }

    private func open(_ files: SimulatedFileSystem, _ scheduling: EngineEnvironment.Scheduling) throws -> Engine {
        var options = EngineOptions()
        options.memtableBytes = 64 << 10
        options.memoryBudget = 8 << 20
        options.blockBytes = 1 << 10
        options.segmentBytes = 64 << 10
        options.upperSegmentBytes = 16 << 10
        options.baseLevelBytes = 64 << 10
        options.syncInterval = .milliseconds(100)
        options.statisticsInterval = nil
        options.compactionThreads = 1
        options.manualCompactionThreads = 1
        options.time = time
        return try Engine.open(
            at: "/store", options: options,
            environment: EngineEnvironment(fileSystem: files, random: SeededRandom(seed: 7), scheduling: scheduling))
    }

    private func runThreads() throws {
        let engine = try open(files, program.hasBackground ? .threads : .deferred)
        self.engine = engine
        switch program.fault {
        case .none: break
        case .syncFails(let n): files.inject(FaultRule(on: [.sync], path: "wal/*", when: .match(n), .error(EIO)))
        case .createFails(let n):
            files.inject(FaultRule(on: [.create], when: .match(n), repeatsForever: true, .error(ENOSPC)))
        }
        fileOperations = 0
        files.willPerform = { [unowned self] _, _ in
            ThreadScheduler.current?.reach(.file)
            noteFileOperation()
        }
        let workers = try program.threads.enumerated().map { number, actions in
            try WorkerThread.start(name: "client") { [self] in
                for action in actions { perform(action, thread: number, engine) }
            }
        }
        for worker in workers { worker.join() }
        do throws(StorageError) {
            try engine.close()
        } catch {
            guard program.fault != .none else { throw error }
        }
        files.willPerform = nil
        self.engine = nil
    }

    private func noteFileOperation() {
        fileOperations += 1
        guard fileOperations == program.crashAt else { return }
        clock += 1
        files.willPerform = nil
        crash = (files.crashClone(.random, seed: UInt64(fileOperations)), clock)
        files.willPerform = { _, _ in ThreadScheduler.current?.reach(.file) }
    }

    // MARK: Calls

    private func begin(_ name: String, _ effect: Call.Effect, thread: Int, isBarrier: Bool) -> Int {
        clock += 1
        calls.append(Call(thread: thread, name: name, effect: effect, began: clock, isBarrier: isBarrier))
        return calls.count - 1
    }

    private func end(_ call: Int, _ outcome: Call.Outcome) {
        clock += 1
        calls[call].outcome = outcome
        calls[call].ended = clock
    }

    private func perform(_ action: Action, thread: Int, _ engine: Engine) {
        let call = begin(action, thread: thread)
        // Without threads of its own the engine flushes on the thread that asks, and on one at a time.
        let isAlone = !program.hasBackground && action.mayFlush
        if isAlone { flushing.lock() }
        defer { if isAlone { flushing.unlock() } }
        do throws(StorageError) {
            try perform(action, call, engine)
            end(call, .done)
        } catch {
            end(call, outcome(of: error, action))
        }
    }

    /// Errors that the contract has; others are findings.
    private func outcome(of error: StorageError, _ action: Action) -> Call.Outcome {
        switch error.code {
        case .indeterminate: return .unknown
        case .closed, .conflict: return .failed
        case .poisoned where program.fault != .none: return .failed
        case .noSpace where program.fault != .none: return .failed
        default:
            findings.append("\(action) threw \(error)")
            return .unknown
        }
    }

    private var findings: [String] = []
    private let flushing = Lock()

    private func begin(_ action: Action, thread: Int) -> Int {
        let name = "\(action)"
        nextValue += 1
        let value = nextValue
        switch action {
        case .put(let key, let isSynced, let isPurgeable):
            return begin(
                name, .set([key: Held(value: value, isPurgeable: isPurgeable)]), thread: thread, isBarrier: isSynced)
        case .delete(let key, let isSynced):
            return begin(name, .set([key: Held?.none]), thread: thread, isBarrier: isSynced)
        case .putAll(let isSynced):
            let changes = Dictionary(
                uniqueKeysWithValues: (0..<Program.keyCount).map {
                    ($0, Held?.some(Held(value: value, isPurgeable: false)))
                })
            return begin(name, .set(changes), thread: thread, isBarrier: isSynced)
        case .copy(let from, let to):
            return begin(name, .copy(from: from, found: nil, to: to, value: value), thread: thread, isBarrier: false)
        case .truncate: return begin(name, .truncate, thread: thread, isBarrier: true)
        case .purge: return begin(name, .purge, thread: thread, isBarrier: true)
        case .sync, .flush, .checkpoint, .compact, .close:
            return begin(name, .none, thread: thread, isBarrier: action != .compact)
        case .get, .scan, .readSnapshot, .reclaim: return begin(name, .none, thread: thread, isBarrier: false)
        }
    }

    private func perform(_ action: Action, _ call: Int, _ engine: Engine) throws(StorageError) {
        func durability(_ isSynced: Bool) -> Durability { isSynced ? .synced : .buffered }
        switch action {
        case .put(let key, let isSynced, let isPurgeable):
            guard case .set(let changes) = calls[call].effect, let held = changes[key] ?? nil else { return }
            try engine.put(
                bytes(held.value), forKey: [UInt8(key)], in: namespace, PutOptions(isPurgeable: isPurgeable),
                durability: durability(isSynced))
        case .delete(let key, let isSynced):
            try engine.delete([UInt8(key)], in: namespace, durability: durability(isSynced))
        case .putAll(let isSynced):
            guard case .set(let changes) = calls[call].effect else { return }
            var batch = WriteBatch()
            for key in 0..<Program.keyCount {
                guard let held = changes[key] ?? nil else { continue }
                try batch.put(bytes(held.value), forKey: [UInt8(key)], in: namespace)
            }
            try engine.write(batch, durability: durability(isSynced))
        case .get(let key):
            let found = try engine.value(forKey: [UInt8(key)], in: namespace)
            calls[call].effect = .read([key: try number(found)])
        case .scan:
            var found: [Int: Int?] = Dictionary(uniqueKeysWithValues: (0..<Program.keyCount).map { ($0, nil) })
            for entry in try engine.entries(over: .all, in: namespace) {
                found[Int(entry.key[0])] = try number(entry.value)
            }
            calls[call].effect = .read(found)
        case .readSnapshot:
            let snapshot = engine.snapshot()
            var found: [Int: Int?] = [:]
            for key in 0..<Program.keyCount {
                found[key] = .some(try number(try engine.value(forKey: [UInt8(key)], in: namespace, at: snapshot)))
            }
            calls[call].effect = .read(found)
        case .copy(let from, let to):
            guard case .copy(_, _, _, let value) = calls[call].effect else { return }
            var found: Int?
            do throws(StorageError) {
                try engine.transaction { (transaction) throws(StorageError) in
                    found = try number(try transaction.value(forKey: [UInt8(from)], in: namespace))
                    try transaction.put(bytes(value), forKey: [UInt8(to)], in: namespace)
                }
            } catch {
                calls[call].effect = .copy(from: from, found: found, to: to, value: value)
                throw error
            }
            calls[call].effect = .copy(from: from, found: found, to: to, value: value)
        case .sync: try engine.sync()
        case .flush: try engine.flush()
        case .truncate: try engine.truncate([namespace])
        case .purge: try engine.purge([namespace])
        case .compact: try engine.compact()
        case .reclaim: try engine.reclaim()
        case .checkpoint:
            copies += 1
            let path = "/copy\(copies)"
            try engine.checkpoint(at: path)
            copied.append((call, path))
        case .close: try engine.close()
        }
    }

    private var copied: [(call: Int, path: String)] = []

    private func bytes(_ value: Int) -> [UInt8] { Array("\(value)".utf8) }

    private func number(_ bytes: [UInt8]?) throws(StorageError) -> Int? {
        guard let bytes else { return nil }
        return Int(String(decoding: bytes, as: UTF8.self)) ?? -1
    }

    // MARK: Checks

    private func check() throws -> String? {
        files.removeFaultRules()
        if let finding = findings.first { return finding }
        for (call, path) in copied { calls[call].effect = .read(try contents(of: files, at: path)) }
        guard HistoryCheck(calls).isExplained() else { return "no order of the calls explains what they returned" }
        if let crash {
            let left = try contents(of: crash.disk, at: "/store")
            let values = (0..<Program.keyCount).map { left[$0] ?? nil }
            guard HistoryCheck(calls, crash: (values, crash.moment)).isExplained() else {
                return "after a crash at moment \(crash.moment) the store is no prefix: \(values)"
            }
        }
        let final = try contents(of: files, at: "/store")
        let values = (0..<Program.keyCount).map { final[$0] ?? nil }
        let closed = HistoryCheck(calls, crash: (values, Int.max - 1))
        guard closed.isExplained() else { return "after closing the store holds \(values)" }
        guard files.openHandles == 0 else { return "files are open: \(files.openHandlePaths)" }
        return nil
    }

    private func contents(of files: SimulatedFileSystem, at path: String) throws -> [Int: Int?] {
        var options = EngineOptions()
        options.memtableBytes = 64 << 10
        options.memoryBudget = 8 << 20
        options.statisticsInterval = nil
        options.time = time
        let engine = try Engine.open(
            at: path, options: options,
            environment: EngineEnvironment(fileSystem: files, random: SeededRandom(seed: 8), scheduling: .inline))
        var found: [Int: Int?] = [:]
        for key in 0..<Program.keyCount {
            found[key] = .some(try number(try engine.value(forKey: [UInt8(key)], in: namespace)))
        }
        try engine.close()
        return found
    }

    /// The calls, for a report.
    var description: String {
        calls.map { call in
            let end = call.ended == Int.max ? "…" : "\(call.ended)"
            return "  \(call.began)…\(end) thread \(call.thread): \(call.name) → \(call.outcome) \(call.effect)"
        }.joined(separator: "\n")
    }
}
