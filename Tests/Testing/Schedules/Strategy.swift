#if SHALE_SCHEDULES
    import ShalePlatform

    /// Decides which thread goes on.
    protocol Strategy: AnyObject {
        func choose(_ candidates: [ThreadScheduler.Candidate], _ current: Int, _ point: SchedulePoint) -> Int
    }

    /// Any candidate with equal probability, the current one more often the larger `inertia` is.
    final class RandomWalk: Strategy {
        private let random: SeededRandom
        private let inertia: Int

        init(seed: UInt64, inertia: Int) {
            random = SeededRandom(seed: seed)
            self.inertia = inertia
        }

        func choose(_ candidates: [ThreadScheduler.Candidate], _ current: Int, _ point: SchedulePoint) -> Int {
            if let index = candidates.firstIndex(where: { $0.thread == current && !$0.isTimeout }),
                random.below(inertia + 1) != 0
            {
                return index
            }
            return random.below(candidates.count)
        }
    }

    /// Probabilistic concurrency testing (Burckhardt et al., ASPLOS 2010): threads have random priorities, the highest
    /// that can run does, and at `depth` random points the running thread's priority falls below all others. A bug that
    /// needs `depth` ordered events is found with a probability of at least 1 / (threads × points ^ depth).
    final class PriorityWalk: Strategy {
        private let random: SeededRandom
        private var priorities: [Int: UInt64] = [:]
        private var changePoints: Set<Int> = []
        private var decisions = 0
        private var lowest = UInt64(1) << 32

        /// `decisions` is how many a run is expected to have.
        init(seed: UInt64, depth: Int, decisions: Int) {
            random = SeededRandom(seed: seed)
            for _ in 0..<depth { changePoints.insert(random.below(max(1, decisions))) }
        }

        func choose(_ candidates: [ThreadScheduler.Candidate], _ current: Int, _ point: SchedulePoint) -> Int {
            decisions += 1
            if changePoints.contains(decisions) || point == .sleep { demote(current) }
            var best = 0
            for index in candidates.indices where priority(candidates[index]) > priority(candidates[best]) {
                best = index
            }
            return best
        }

        private func demote(_ thread: Int) {
            lowest -= 1
            priorities[thread] = lowest
        }

        private func priority(_ candidate: ThreadScheduler.Candidate) -> UInt64 {
            let thread = candidate.isTimeout ? -1 - candidate.thread : candidate.thread
            if let known = priorities[thread] { return known }
            let drawn = (UInt64(1) << 32) + UInt64(random.below(1 << 32))
            priorities[thread] = drawn
            return drawn
        }
    }

    /// The decisions at which a schedule leaves the usual way, in which the running thread goes on for as long as it
    /// can, and then the first that can run does. People can follow a schedule with few deviations.
    struct Deviations: Sendable, Equatable {
        /// The decision, counted from 0, and the ``ThreadScheduler/Candidate/code`` of who goes on then.
        var list: [(decision: Int, code: Int)] = []

        static func == (left: Deviations, right: Deviations) -> Bool { left.description == right.description }

        /// The candidate that the usual way takes.
        static func usual(_ candidates: [ThreadScheduler.Candidate], _ current: Int) -> Int {
            candidates.firstIndex { $0.thread == current && !$0.isTimeout } ?? 0
        }
    }

    extension Deviations: CustomStringConvertible {
        var description: String { list.map { "\($0.decision):\($0.code)" }.joined(separator: ",") }

        /// Reads ``description``; nil if `text` is no list of deviations.
        init?(_ text: String) {
            for pair in text.split(separator: ",") {
                let numbers = pair.split(separator: ":").compactMap { Int($0) }
                guard numbers.count == 2 else { return nil }
                list.append((numbers[0], numbers[1]))
            }
        }
    }

    /// The usual way with deviations. One that is not possible is left out.
    final class Replay: Strategy {
        private let deviations: [Int: Int]
        private var decision = 0

        init(_ deviations: Deviations) {
            self.deviations = Dictionary(
                deviations.list.map { ($0.decision, $0.code) }, uniquingKeysWith: { $1 })
        }

        func choose(_ candidates: [ThreadScheduler.Candidate], _ current: Int, _ point: SchedulePoint) -> Int {
            defer { decision += 1 }
            if let code = deviations[decision], let index = candidates.firstIndex(where: { $0.code == code }) {
                return index
            }
            return Deviations.usual(candidates, current)
        }
    }

    /// All schedules with at most `preemptions` preemptions, depth first: each run follows a prefix, and the last
    /// decision that has an untried alternative is changed for the next one. A switch away from a thread that could go
    /// on is a preemption (Musuvathi and Qadeer, PLDI 2007).
    final class BoundedSearch {
        private struct Decision {
            var candidates: [Int]
            var next: Int
            let currentCanGoOn: Bool
        }

        private let preemptions: Int
        private var path: [Decision] = []
        private(set) var isExhausted = false

        init(preemptions: Int) { self.preemptions = preemptions }

        /// The strategy of the next run. After the run call ``finishRun()``.
        func makeRun() -> any Strategy { Run(self) }

        /// Moves on to the next schedule.
        func finishRun() {
            while var last = path.popLast() {
                last.next += 1
                if last.next < last.candidates.count {
                    path.append(last)
                    return
                }
            }
            isExhausted = true
        }

        private final class Run: Strategy {
            private let search: BoundedSearch
            private var depth = 0
            private var spent = 0

            init(_ search: BoundedSearch) { self.search = search }

            func choose(_ candidates: [ThreadScheduler.Candidate], _ current: Int, _ point: SchedulePoint) -> Int {
                defer { depth += 1 }
                if depth == search.path.count {
                    let own = candidates.firstIndex { $0.thread == current && !$0.isTimeout }
                    var order = own.map { [$0] } ?? []
                    if own == nil || spent < search.preemptions { order += candidates.indices.filter { $0 != own } }
                    search.path.append(Decision(candidates: order, next: 0, currentCanGoOn: own != nil))
                }
                let decision = search.path[depth]
                if decision.currentCanGoOn, decision.next > 0 { spent += 1 }
                return min(decision.candidates[decision.next], candidates.count - 1)
            }
        }
    }

    extension ThreadScheduler.Candidate {
        /// The thread, and behind a million it again for its deadline.
        var code: Int { isTimeout ? thread + 1_000_000 : thread }
    }

    /// Notes where another strategy leaves the usual way.
    final class Recorder: Strategy {
        private let inner: any Strategy
        private(set) var deviations = Deviations()
        private var decision = 0

        init(_ inner: any Strategy) { self.inner = inner }

        func choose(_ candidates: [ThreadScheduler.Candidate], _ current: Int, _ point: SchedulePoint) -> Int {
            let index = inner.choose(candidates, current, point)
            if index != Deviations.usual(candidates, current) {
                deviations.list.append((decision, candidates[index].code))
            }
            decision += 1
            return index
        }
    }
#endif
