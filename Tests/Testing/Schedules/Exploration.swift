#if SHALE_SCHEDULES
    import ShaleBase
    import ShalePlatform
    import TestSupport

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// Runs programs under schedules, one after the other, until one fails.
    struct Exploration {
        /// Seconds after which a schedule has hung: a thread waits for something that the scheduler does not know, or
        /// does not end a loop.
        private static let hangSeconds: UInt32 = 120
        /// Every one of so many seeds is run twice.
        private static let repetitionInterval: UInt64 = 101

        /// Lists the calls of the file system when a run fails.
        var recordsFileCalls = false
        /// Lists the calls also when a run passes.
        var printsCalls = false
        private var decisions = 0
        private var steps = 0
        private(set) var runs = 0
        private let began = SystemTime().monotonicNanoseconds

        init() {
            _ = signal(SIGALRM) { _ in Schedules.fail("a schedule has hung: no end after 120 s") }
        }

        // MARK: Drawn schedules

        /// A seed names a program and a schedule of it: every eighth seed is another program, the other seven are other
        /// schedules of it.
        ///
        /// Some seeds are run twice, and must take the same way: a failure that can't be repeated is of little use.
        mutating func draw(_ seeds: Range<UInt64>) throws {
            for seed in seeds {
                let way = try draw(seed)
                guard seed % Exploration.repetitionInterval == 0 else { continue }
                recordsFileCalls.toggle()
                let again = try draw(seed)
                recordsFileCalls.toggle()
                guard again == way else {
                    Schedules.fail("SEED=\(seed): another way when repeated\nfirst: \(way)\nthen:  \(again)")
                }
            }
        }

        private mutating func draw(_ seed: UInt64) throws -> Deviations {
            try run(Program(seed: seed / 8), Exploration.strategy(seed), "SEED=\(seed)", "--replay \(seed)")
        }

        /// Schedules of one program.
        mutating func draw(_ seeds: Range<UInt64>, of program: Program) throws {
            for seed in seeds { try run(program, Exploration.strategy(seed), "SEED=\(seed)", nil) }
        }

        static func strategy(_ seed: UInt64) -> any Strategy {
            switch seed % 8 {
            case 0: RandomWalk(seed: seed, inertia: 0)
            case 1: RandomWalk(seed: seed, inertia: 4)
            case 2: RandomWalk(seed: seed, inertia: 20)
            default: PriorityWalk(seed: seed, depth: Int(seed % 8) - 2, decisions: seed % 16 < 8 ? 60 : 300)
            }
        }

        mutating func replay(_ program: Program, _ deviations: Deviations) throws {
            try run(program, Replay(deviations), "SCHEDULE=\(deviations)", nil)
        }

        // MARK: All schedules

        /// Runs all schedules of `program` with at most `preemptions` preemptions, or the first `limit` of them.
        /// Returns false if there are more.
        mutating func exhaust(_ program: Program, preemptions: Int, limit: Int) throws -> Bool {
            let search = BoundedSearch(preemptions: preemptions)
            var count = 0
            while !search.isExhausted, count < limit {
                try run(program, search.makeRun(), "EXHAUSTIVE=\(preemptions)", nil)
                search.finishRun()
                count += 1
            }
            return search.isExhausted
        }

        // MARK: One run

        /// Returns where the run left the usual way.
        @discardableResult
        private mutating func run(
            _ program: Program, _ strategy: any Strategy, _ name: String, _ again: String?
        ) throws -> Deviations {
            _ = alarm(Exploration.hangSeconds)
            let recorder = Recorder(strategy)
            let run = try ProgramRun(program, recordsFileCalls: recordsFileCalls)
            let schedules = runs + 1
            func report(_ what: String) -> Never {
                let options = again ?? "--program '\(program)' --schedule '\(recorder.deviations)'"
                Schedules.fail(
                    """
                    \(name): \(what)
                    after \(schedules) schedules; again: tools/schedules \(options)
                    program: \(program)
                    schedule: \(recorder.deviations)
                    \(run.description)
                    """)
            }
            let scheduler = ThreadScheduler(stepLimit: 200_000, choose: recorder.choose) { failure, threads in
                report("\(failure)\n\(threads)")
            }
            do {
                if let problem = try run.run(scheduler) { report(problem) }
            } catch {
                report("\(error)")
            }
            runs += 1
            decisions += scheduler.decisions
            steps += scheduler.steps
            if printsCalls { print(run.description) }
            return recorder.deviations
        }

        func printCoverage(_ detail: String) {
            let seconds = Double(SystemTime().monotonicNanoseconds - began) / 1e9
            let readings = StoredContents.readings
            Ring.covered(
                runs, "schedules",
                """
                \(Int(Double(runs) / seconds)) a second, \(decisions / max(1, runs)) decisions and \
                \(steps / max(1, runs)) steps each, \(readings.repeated * 100 / max(1, readings.all)) % of the stores \
                seen before, \(detail)
                """)
        }
    }
#endif
