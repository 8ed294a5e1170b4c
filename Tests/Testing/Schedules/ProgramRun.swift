#if SHALE_SCHEDULES
    import ShaleBase
    import ShaleEngine
    import ShalePlatform
    import ShaleSimulation

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// One run of a program under one schedule. What has to hold after it: ProgramRun+Checks.
    final class ProgramRun: @unchecked Sendable {
        /// The most time that a call may take on a clock that stands still while any thread can run. A call that takes
        /// longer has waited for a deadline, and another thread's notification should have come first. The shortest
        /// deadline is 100 ms.
        static let patience: UInt64 = 90_000_000
        static let largeBytes = 20 << 10

        let program: Program
        let files: SimulatedFileSystem
        let time = ManualTime()
        let namespace: NamespaceID
        // Only the running thread touches these.
        var calls: [Call] = []
        var clock = 0
        var nextValue = 100
        var findings: [String] = []
        let flushing = Lock()
        /// Checkpoints and backups: the call, where the copy is, and whether it has to be restored.
        var copies: [(call: Int, path: String, isBackup: Bool)] = []
        var copyCount = 0
        var observations: [Observation] = []
        private(set) var crash: (disk: SimulatedFileSystem, moment: Int, kind: CrashKind)?
        private var fileCalls = 0
        private var returns = 0
        private let recordsFileCalls: Bool
        private var fileCallsBeforeCrash = 0
        private(set) var scheduler: ThreadScheduler?
        var flushes = FlushWatch()

        /// `recordsFileCalls`: ``description`` lists the calls of the file system too.
        init(_ program: Program, recordsFileCalls: Bool) throws {
            self.program = program
            self.recordsFileCalls = recordsFileCalls
            let prepared = try ProgramRun.prepared.get()
            namespace = prepared.namespace
            files = prepared.files.crashClone(.keepAll, seed: 1)
            files.recordsOperations = recordsFileCalls
        }

        /// A store with a namespace, made once.
        private static let prepared = Result<(files: SimulatedFileSystem, namespace: NamespaceID), any Error> {
            let files = SimulatedFileSystem(seed: 1)
            let engine = try open(files, at: "/store", .inline, ManualTime())
            let namespace = try engine.createNamespace(named: Array("n".utf8))
            try engine.close()
            return (files: files, namespace: namespace)
        }

        /// Returns what is wrong after the run, nil if nothing is.
        func run(_ scheduler: ThreadScheduler) throws -> String? {
            self.scheduler = scheduler
            // Its closures refer to this run.
            defer { self.scheduler = nil }
            scheduler.earlyTimeouts = program.earlyTimeouts
            scheduler.timeMoved = { [time] now in
                let ahead = now &- min(now, time.monotonicNanoseconds)
                time.advance(milliseconds: ahead / 1_000_000 + 1)
            }
            var failure: String?
            scheduler.run { [self] in
                do {
                    try runThreads(scheduler)
                } catch {
                    failure = "the program could not run: \(error)"
                }
            }
            return try failure ?? check()
        }

        static func open(
            _ files: SimulatedFileSystem, at path: String, _ scheduling: EngineEnvironment.Scheduling,
            _ time: ManualTime, mode: Engine.Options.Mode = .createIfMissing
        ) throws(StorageError) -> Engine {
            var options = Engine.Options()
            options.mode = mode
            options.memtableBytes = 64 << 10
            options.memoryBudget = 8 << 20
            options.blockBytes = 1 << 10
            options.segmentBytes = 64 << 10
            options.upperSegmentBytes = 16 << 10
            options.baseLevelBytes = 64 << 10
            // Contexts of zstd take longer to make than a small store to open.
            options.lastCompression = .lz4
            options.syncInterval = .milliseconds(100)
            options.statisticsInterval = nil
            options.l0CompactionTrigger = 2
            options.compactionThreads = 1
            options.manualCompactionThreads = 1
            options.time = time
            return try Engine.open(
                at: path, options: options,
                environment: EngineEnvironment(fileSystem: files, random: SeededRandom(seed: 7), scheduling: scheduling)
            )
        }

        private func runThreads(_ scheduler: ThreadScheduler) throws {
            let engine = try ProgramRun.open(files, at: "/store", program.hasBackground ? .threads : .deferred, time)
            let reserved = program.hasTinyCache ? engine.reserveMemory(8 << 20) : nil
            if let rule = program.fault.rule(at: program.faultAt) { files.inject(rule) }
            let reached = { [unowned self] (_: OperationKind, _: String) in reachFileCall() }
            files.willPerform = { [unowned self] kind, path in
                checkFlushes(scheduler, kind, path)
                reachFileCall()
            }
            files.isPerforming = reached
            files.didPerform = reached
            let workers = try program.threads.enumerated().map { number, actions in
                try WorkerThread.start(name: "client") { [self] in
                    let client = Client(number)
                    for action in actions { perform(action, client, engine) }
                    if let observation = client.observation { observations.append(observation) }
                }
            }
            for worker in workers { worker.join() }
            withExtendedLifetime(reserved) {}
            // Every run checks what a power loss leaves: at the latest when all calls have returned.
            if crash == nil { takeCrash(program.crash?.kind ?? 0, seed: 0) }
            do throws(StorageError) {
                try engine.close()
            } catch {
                guard program.fault != .none else { throw error }
            }
            if scheduler.liveThreads > 1 { findings.append("threads are left:\n\(scheduler.description)") }
            files.willPerform = nil
            files.isPerforming = nil
            files.didPerform = nil
        }

        /// Before, in the middle of and after every call of the file system.
        private func reachFileCall() {
            fileCalls += 1
            crashIfPlanned(at: .fileCall(fileCalls - 1), seed: UInt64(fileCalls - 1))
            ThreadScheduler.current?.reach(.file)
        }

        /// After a call of a client returned.
        func reachReturn() {
            returns += 1
            crashIfPlanned(at: .returned(returns), seed: UInt64(returns))
        }

        private func crashIfPlanned(at moment: Program.Crash.Moment, seed: UInt64) {
            guard let planned = program.crash, planned.moment == moment else { return }
            takeCrash(planned.kind, seed: seed)
        }

        private func takeCrash(_ number: Int, seed: UInt64) {
            let kind = CrashKind.all[number]
            // The copy waits for the file system's lock, so other threads may go on before it. No lock is taken between
            // the copy and the noting of its moment, so none goes on there.
            let disk = files.crashClone(kind.policy(seed), seed: seed)
            clock += 1
            crash = (disk, clock, kind)
            disk.recordsOperations = false
            // In every run, recorded or not: it takes a lock, and a run that is repeated has the same decisions.
            fileCallsBeforeCrash = files.operations.count
        }

        /// The calls, for a report.
        var description: String {
            let lines = calls.map { call in
                let end = call.ended == Int.max ? "…" : "\(call.ended)"
                return "  \(call.began)…\(end) thread \(call.thread): \(call.name) → \(call.outcome) \(call.effect)"
            }
            // Reading them takes a lock, which only a scheduler that is at work can refuse.
            guard recordsFileCalls, scheduler == nil else { return lines.joined(separator: "\n") }
            var fileLines = files.operations.map { "  file: \($0)" }
            if crash != nil { fileLines.insert("  file: (the crash)", at: fileCallsBeforeCrash) }
            return (lines + fileLines).joined(separator: "\n")
        }
    }

    extension Program.Fault {
        /// The call with the number `at`, from 1, of those that match fails.
        fileprivate func rule(at: Int) -> FaultRule? {
            switch self {
            case .none: nil
            case .syncLog: FaultRule(on: [.sync], path: "wal/*", when: .match(at), .error(EIO))
            case .syncSegment: FaultRule(on: [.sync], path: "segments/*", when: .match(at), .error(EIO))
            case .syncManifest: FaultRule(on: [.sync], path: "MANIFEST-*", when: .match(at), .error(EIO))
            case .syncDirectory: FaultRule(on: [.syncDirectory], when: .match(at), .error(EIO))
            case .writeLog: FaultRule(on: [.write], path: "wal/*", when: .match(at), .error(EIO))
            case .writeSegment: FaultRule(on: [.write], path: "segments/*", when: .match(at), .error(EIO))
            case .writeManifest: FaultRule(on: [.write], path: "MANIFEST-*", when: .match(at), .error(EIO))
            case .rename: FaultRule(on: [.rename], when: .match(at), .error(EIO))
            case .remove: FaultRule(on: [.remove], when: .match(at), .error(EACCES))
            case .preallocate: FaultRule(on: [.preallocate], when: .match(at), repeatsForever: true, .error(ENOSPC))
            case .create: FaultRule(on: [.create], when: .match(at), repeatsForever: true, .error(ENOSPC))
            }
        }
    }
#endif
