#if SHALE_SCHEDULES
    /// The command line: see ``Schedules``.
    struct Command {
        private var count: UInt64 = 1000
        private var first: UInt64 = 1
        private var exhaustive: Int?
        private var limit = Int.max
        private var share = (index: 0, count: 1)
        private var program: Program?
        private var schedule: Deviations?
        private var shrinks = false
        private var isReplay = false

        init(_ arguments: ArraySlice<String>) {
            var words = arguments
            while let option = words.popFirst() {
                guard let word = words.popFirst() else { Command.refuse(option) }
                switch option {
                case "--program":
                    guard let parsed = Program(word) else { Command.refuse(word) }
                    program = parsed
                case "--schedule":
                    guard let parsed = Deviations(word) else { Command.refuse(word) }
                    schedule = parsed
                case "--share":
                    let numbers = word.split(separator: "/").compactMap { Int($0) }
                    guard numbers.count == 2, 1...max(1, numbers[1]) ~= numbers[0] else { Command.refuse(word) }
                    share = (numbers[0] - 1, numbers[1])
                default:
                    guard let number = UInt64(word) else { Command.refuse(word) }
                    setNumber(option, number)
                }
            }
        }

        private mutating func setNumber(_ option: String, _ number: UInt64) {
            switch option {
            case "--count": count = number
            case "--from": first = number
            case "--replay": (first, count, isReplay) = (number, 1, true)
            case "--exhaust": exhaustive = Int(clamping: number)
            case "--limit": limit = Int(clamping: number)
            case "--shrink": (first, shrinks) = (number, true)
            default: Command.refuse(option)
            }
        }

        private static func refuse(_ word: String) -> Never { Schedules.fail("not understood: \(word)") }

        func run() throws {
            if shrinks {
                try Shrinking(seed: first).run()
                return
            }
            var exploration = Exploration()
            exploration.recordsFileCalls = isReplay || schedule != nil
            exploration.printsCalls = exploration.recordsFileCalls
            let seeds = first..<(first + count)
            if let exhaustive {
                try exhaust(&exploration, exhaustive)
            } else if let program, let schedule {
                try exploration.replay(program, schedule)
                exploration.printCoverage("one again")
            } else if let program {
                try exploration.draw(seeds, of: program)
                exploration.printCoverage("of one program, from seed \(first)")
            } else {
                try exploration.draw(seeds)
                exploration.printCoverage("from seed \(first)")
            }
        }

        private func exhaust(_ exploration: inout Exploration, _ preemptions: Int) throws {
            var incomplete = 0
            for (index, program) in SmallPrograms.all.enumerated() where index % share.count == share.index {
                if try exploration.exhaust(program, preemptions: preemptions, limit: limit) { continue }
                incomplete += 1
                print("more than \(limit) schedules: \(program)")
            }
            let bound = "at most \(preemptions) preemptions"
            exploration.printCoverage(
                incomplete == 0 ? "all with \(bound)" : "with \(bound), \(incomplete) programs not to their end")
        }
    }
#endif
