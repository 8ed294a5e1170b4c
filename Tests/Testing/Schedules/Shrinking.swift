#if SHALE_SCHEDULES
    import TestSupport

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// Makes a failing run smaller: fewer threads, fewer actions, no failing call, no crash, fewer deviations from the
    /// usual order of threads.
    ///
    /// Each attempt is a process of its own, because a run that fails leaves threads behind that wait for ever. A
    /// smaller program is kept if one of 2000 drawn schedules of it fails in the same way.
    struct Shrinking {
        private static let attempts = 2000

        private let seed: UInt64

        init(seed: UInt64) { self.seed = seed }

        /// A failing run.
        private struct Failure {
            var kind: String
            var program: Program
            var deviations: Deviations
            var text: String

            /// Reads what a process printed; nil if it did not fail.
            init?(_ output: String) {
                func line(_ prefix: String) -> String? {
                    output.split(separator: "\n").first { $0.hasPrefix(prefix) }
                        .map { String($0.dropFirst(prefix.count)) }
                }
                guard let first = line("FAILED "), let place = first.firstIndex(of: ":"),
                    let program = line("program: ").flatMap({ Program($0) }),
                    let deviations = line("schedule: ").flatMap({ Deviations($0) })
                else { return nil }
                // The words before the first number say what is wrong.
                kind = String(first[first.index(after: place)...].prefix { !$0.isNumber })
                self.program = program
                self.deviations = deviations
                text = output
            }
        }

        func run() throws {
            guard var best = try Shrinking.attempt(["--replay", "\(seed)"]) else {
                print("SEED=\(seed) does not fail")
                return
            }
            var isSmaller = true
            while isSmaller {
                isSmaller = false
                for program in Shrinking.smaller(best.program) {
                    let found = try Shrinking.attempt([
                        "--program", "\(program)", "--from", "0", "--count", "\(Shrinking.attempts)",
                    ])
                    guard let found, found.kind == best.kind else { continue }
                    best = found
                    isSmaller = true
                    break
                }
            }
            best = try Shrinking.withFewerDeviations(best)
            print(best.text)
        }

        /// Programs that leave one thing of `program` out, the largest things first.
        private static func smaller(_ program: Program) -> [Program] {
            var result: [Program] = []
            func add(_ change: (inout Program) -> Void) {
                var candidate = program
                change(&candidate)
                if candidate != program { result.append(candidate) }
            }
            for thread in program.threads.indices { add { $0.threads.remove(at: thread) } }
            add { $0.hasBackground = false }
            add { $0.fault = .none }
            add { $0.crash = nil }
            add { $0.hasTinyCache = false }
            add { $0.earlyTimeouts = 0 }
            for thread in program.threads.indices {
                for index in program.threads[thread].indices { add { $0.threads[thread].remove(at: index) } }
            }
            return result.filter { !$0.threads.isEmpty }
        }

        private static func withFewerDeviations(_ failure: Failure) throws -> Failure {
            var best = failure
            // Halves first, then one by one.
            var size = max(1, best.deviations.list.count / 2)
            while true {
                var start = 0
                while start < best.deviations.list.count {
                    var fewer = best.deviations
                    fewer.list.removeSubrange(start..<min(start + size, fewer.list.count))
                    let found = try attempt(["--program", "\(best.program)", "--schedule", "\(fewer)"])
                    if let found, found.kind == best.kind, found.deviations.list.count < best.deviations.list.count {
                        best = found
                    } else {
                        start += size
                    }
                }
                if size == 1 { return best }
                size /= 2
            }
        }

        /// Runs this program with other arguments. Returns how it failed, nil if it did not.
        private static func attempt(_ arguments: [String]) throws -> Failure? {
            let child = try ChildProcess(arguments)
            var output: [UInt8] = []
            while let piece = try child.read(waiting: -1) { output += piece }
            return try child.wait() == .exited(0) ? nil : Failure(String(decoding: output, as: UTF8.self))
        }
    }
#endif
