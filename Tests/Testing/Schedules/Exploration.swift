#if SHALE_SCHEDULES
    import ShaleBase
    import ShalePlatform
    import TestSupport

    /// A number of schedules, one after the other. A seed names a program and a schedule of it.
    struct Exploration {
        private var count = 1000
        private var first: UInt64 = 1

        init(arguments: ArraySlice<String>) {
            var words = arguments
            while let option = words.popFirst() {
                guard let number = words.popFirst().flatMap({ UInt64($0) }) else { Exploration.usage() }
                switch option {
                case "--count": count = Int(clamping: number)
                case "--from": first = number
                case "--replay": (first, count) = (number, 1)
                default: Exploration.usage()
                }
            }
        }

        private static func usage() -> Never {
            Schedules.fail("usage: schedules [--count N] [--from SEED] [--replay SEED]")
        }

        func run() {
            let began = SystemTime().monotonicNanoseconds
            var decisions = 0
            var steps = 0
            for offset in 0..<UInt64(count) {
                let scheduler = explore(first + offset)
                decisions += scheduler.decisions
                steps += scheduler.steps
            }
            let seconds = Double(SystemTime().monotonicNanoseconds - began) / 1e9
            let rate = Int(Double(count) / seconds)
            Ring.covered(
                count, "schedules",
                "\(rate) a second, \(decisions / max(1, count)) decisions and \(steps / max(1, count)) steps each, from seed \(first)"
            )
        }

        /// Every eighth seed is another program; the other seven are other schedules of it.
        private func explore(_ seed: UInt64) -> ThreadScheduler {
            let program = Program(seed: seed / 8)
            let strategy: any Strategy =
                switch seed % 8 {
                case 0: RandomWalk(seed: seed, inertia: 0)
                case 1: RandomWalk(seed: seed, inertia: 4)
                case 2: RandomWalk(seed: seed, inertia: 20)
                default: PriorityWalk(seed: seed, depth: Int(seed % 8) - 2, decisions: 300)
                }
            let recorder = Recorder(strategy)
            let run = ProgramRun(program)
            func report(_ what: String) -> Never {
                Schedules.fail(
                    """
                    SEED=\(seed): \(what)
                    again: tools/schedules --replay \(seed)
                    program: \(program)
                    \(run.description)
                    schedule: \(recorder.decisions)
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
            return scheduler
        }
    }
#endif
