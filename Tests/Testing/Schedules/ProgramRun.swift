#if SHALE_SCHEDULES
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
        let program: Program
        private let files = SimulatedFileSystem(seed: 1)
        private let time = ManualTime()
        private var engine: Engine?
        var namespace = NamespaceID(rawValue: 0)
        // Only the running thread touches these.
        var calls: [Call] = []
        var clock = 0
        var nextValue = 100
        private var fileOperations = 0
        private var crash: (disk: SimulatedFileSystem, moment: Int)?
        var copies = 0
        var findings: [String] = []
        let flushing = Lock()
        var copied: [(call: Int, path: String)] = []

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
                environment: EngineEnvironment(fileSystem: files, random: SeededRandom(seed: 7), scheduling: scheduling)
            )
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
#endif
