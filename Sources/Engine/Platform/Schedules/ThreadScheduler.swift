#if SHALE_SCHEDULES
    /// Runs the threads of a program one at a time and decides at each ``SchedulePoint`` which of them goes on.
    ///
    /// The program's threads are fibers on the thread of the system that calls ``run(_:)``, and nothing else may run in
    /// the process meanwhile. A thread that would block on a ``Lock``, a ``Condition``, a join or a sleep goes on when
    /// what it waits for has come. Time stands still while any thread can run: when none can, it moves to the earliest
    /// deadline. A schedule is the list of the decisions at points with more than one candidate, so the same list
    /// repeats the same run.
    ///
    /// The order of the program's memory accesses is sequentially consistent under a scheduler. Weaker orders are the
    /// thread sanitizer's business.
    @safe
    @usableFromInline
    package final class ThreadScheduler: @unchecked Sendable {
        /// The event that a thread waits for.
        package enum Waiting: Equatable, Sendable {
            case nothing
            case lock(UInt)
            case condition(UInt, until: UInt64?)
            case sleep(until: UInt64)
            case join(Int)
            case end
        }

        /// A thread as a strategy sees it.
        package struct Candidate: Sendable {
            package let thread: Int
            /// True if the thread goes on because its deadline passes, not because something happened.
            package let isTimeout: Bool
        }

        /// Why a run can't go on.
        package enum Failure: Sendable, Equatable {
            case deadlock
            /// More steps than any run of the program should take.
            case endless
            /// Memory that readers may reach was released while one of them used it.
            case usedAfterRelease
        }

        private struct Managed {
            let name: String
            let fiber: Fiber
            /// Until the thread begins.
            var body: (() -> Void)?
            /// The thread's slots in epoch domains, one for each.
            var slots: [(domain: ObjectIdentifier, slot: EpochSlot)] = []
            var waiting = Waiting.nothing
            var timedOut = false
            var point = SchedulePoint.start
        }

        package typealias Choose = (_ candidates: [Candidate], _ current: Int, _ point: SchedulePoint) -> Int

        private let choose: Choose
        private let stepLimit: Int
        private let fail: (Failure, String) -> Never
        /// Called with the time whenever it moves.
        package var timeMoved: (UInt64) -> Void = { _ in }

        /// The number of the running thread.
        private var running = 0
        private var threads: [Managed] = []
        /// The locks that are held. Few at a time: a search is faster than a hash.
        private var owners: [(lock: UInt, thread: Int)] = []
        private var live = 0
        /// Objects that readers without a lock use, by address, and how many of them do.
        private var uses: [UInt: Int] = [:]
        /// Kept from step to step, so that a step allocates nothing.
        private var candidates: [Candidate] = []
        package private(set) var nanoseconds: UInt64 = 0
        package private(set) var steps = 0
        package private(set) var decisions = 0
        /// The number of further deadlines that may pass although a thread could run.
        package var earlyTimeouts = 0

        package init(stepLimit: Int, choose: @escaping Choose, fail: @escaping (Failure, String) -> Never) {
            self.stepLimit = stepLimit
            self.choose = choose
            self.fail = fail
        }

        /// Only the one thread touches it.
        private nonisolated(unsafe) static var atWork: ThreadScheduler?

        /// The scheduler whose program runs; nil outside ``run(_:)``.
        @usableFromInline
        package static var current: ThreadScheduler? { unsafe atWork }

        /// Runs `body` as the program's first thread. Returns when it and every thread that it started have ended.
        package func run(_ body: () -> Void) {
            precondition(ThreadScheduler.current == nil, "one program at a time")
            threads.append(Managed(name: "main", fiber: Fiber()))
            live = 1
            unsafe ThreadScheduler.atWork = self
            body()
            // A program ends with its threads: those that it has not joined go on here.
            while live > 1 {
                threads[0].waiting = .join(-1)
                decide(.join)
            }
            end(0)
            unsafe ThreadScheduler.atWork = nil
        }

        // MARK: Threads

        /// Adds a thread that runs `body` when its turn comes. Returns its number.
        package func start(_ name: String, _ body: @escaping () -> Void) -> Int {
            threads.append(Managed(name: name, fiber: Fiber(ThreadScheduler.runStarted), body: body))
            live += 1
            return threads.count - 1
        }

        /// The first function of every fiber. It leaves for good, so it must not hold a reference at its end.
        private static let runStarted: @convention(c) () -> Void = {
            guard let next = ThreadScheduler.current?.runBody() else { return }
            next.resume()
        }

        /// Runs the running thread to its end. Returns the place where the program goes on.
        private func runBody() -> Fiber.Place {
            let thread = running
            let body = threads[thread].body
            threads[thread].body = nil
            body?()
            end(thread)
            threads[thread].fiber.giveStackBack()
            running = next(.end)
            return threads[running].fiber.place
        }

        private func end(_ thread: Int) {
            for (_, slot) in threads[thread].slots { slot.release() }
            threads[thread].waiting = .end
            live -= 1
            for index in threads.indices {
                guard case .join(let joined) = threads[index].waiting else { continue }
                if joined == thread || joined == -1 && live == 1 { threads[index].waiting = .nothing }
            }
        }

        package func join(_ thread: Int) {
            reach(.join)
            while threads[thread].waiting != .end {
                threads[running].waiting = .join(thread)
                decide(.join)
            }
        }

        // MARK: Locks

        @usableFromInline
        package func acquire(_ lock: UInt) {
            reach(.lock)
            take(lock)
        }

        private func take(_ lock: UInt) {
            while isHeld(lock) {
                threads[running].waiting = .lock(lock)
                decide(.lock)
            }
            owners.append((lock, running))
        }

        private func isHeld(_ lock: UInt) -> Bool { owners.contains { $0.lock == lock } }

        @usableFromInline
        package func tryAcquire(_ lock: UInt) -> Bool {
            reach(.tryLock)
            guard !isHeld(lock) else { return false }
            owners.append((lock, running))
            return true
        }

        @usableFromInline
        package func release(_ lock: UInt) {
            if let index = owners.lastIndex(where: { $0.lock == lock }) { owners.remove(at: index) }
            for index in threads.indices where threads[index].waiting == .lock(lock) {
                threads[index].waiting = .nothing
            }
        }

        // MARK: Conditions

        /// Gives `lock` up, waits and takes it again. False when the time was over first.
        package func wait(_ condition: UInt, _ lock: UInt, nanoseconds limit: UInt64?) -> Bool {
            let me = running
            let deadline = limit.map { self.nanoseconds &+ min($0, 1 << 60) }
            release(lock)
            threads[me].waiting = .condition(condition, until: deadline)
            threads[me].timedOut = false
            decide(.wait)
            let timedOut = threads[me].timedOut
            take(lock)
            return !timedOut
        }

        package func notify(_ condition: UInt, all: Bool) {
            reach(.notify)
            let waiters = threads.indices.filter {
                if case .condition(condition, _) = threads[$0].waiting { return true }
                return false
            }
            guard !waiters.isEmpty else { return }
            if all {
                for index in waiters { threads[index].waiting = .nothing }
            } else {
                let candidates = waiters.map { Candidate(thread: $0, isTimeout: false) }
                let index = waiters.count == 1 ? 0 : ask(candidates, .notify)
                threads[waiters[index]].waiting = .nothing
            }
        }

        package func sleep(_ limit: UInt64) {
            threads[running].waiting = .sleep(until: nanoseconds &+ limit)
            decide(.sleep)
        }

        // MARK: Memory without locks

        /// The running thread's slot in an epoch domain; `acquire` gives it one.
        @usableFromInline
        func slot(in domain: ObjectIdentifier, _ acquire: () -> EpochSlot) -> EpochSlot {
            if let known = threads[running].slots.first(where: { $0.domain == domain }) { return known.slot }
            let slot = acquire()
            threads[running].slots.append((domain, slot))
            return slot
        }

        /// The calling thread begins to use an object that only its pin keeps.
        @usableFromInline
        package func beginUse(of object: UInt) { uses[object, default: 0] += 1 }

        @usableFromInline
        package func endUse(of object: UInt) {
            guard let count = uses[object] else { return }
            uses[object] = count > 1 ? count - 1 : nil
        }

        /// Called before an object is released that readers could reach.
        package func checkUnused(_ object: UInt) {
            if uses[object] != nil { fail(.usedAfterRelease, description) }
        }

        // MARK: Decisions

        /// Lets another thread go on, or this one; returns when it is this one's turn.
        package func reach(_ point: SchedulePoint) { decide(point) }

        private func decide(_ point: SchedulePoint) {
            let me = running
            threads[me].point = point
            let chosen = next(point)
            guard chosen != me else { return }
            running = chosen
            threads[me].fiber.switchTo(threads[chosen].fiber)
        }

        private func next(_ point: SchedulePoint) -> Int {
            steps += 1
            if steps > stepLimit { fail(.endless, description) }
            candidates.removeAll(keepingCapacity: true)
            for index in threads.indices {
                if case .nothing = threads[index].waiting {
                    candidates.append(Candidate(thread: index, isTimeout: false))
                }
            }
            var timeout: (thread: Int, deadline: UInt64)?
            if candidates.isEmpty || earlyTimeouts > 0 {
                timeout = earliestDeadline
                if let timeout { candidates.append(Candidate(thread: timeout.thread, isTimeout: true)) }
            }
            guard !candidates.isEmpty else { fail(.deadlock, description) }
            let chosen = candidates[candidates.count == 1 ? 0 : ask(candidates, point)]
            if chosen.isTimeout, let timeout {
                if candidates.count > 1 { earlyTimeouts -= 1 }
                threads[chosen.thread].timedOut = true
                threads[chosen.thread].waiting = .nothing
                nanoseconds = max(nanoseconds, timeout.deadline)
                timeMoved(nanoseconds)
            }
            return chosen.thread
        }

        private func ask(_ candidates: [Candidate], _ point: SchedulePoint) -> Int {
            decisions += 1
            let index = choose(candidates, running, point)
            precondition(candidates.indices.contains(index), "a strategy chose a thread that can't run")
            return index
        }

        private var earliestDeadline: (thread: Int, deadline: UInt64)? {
            var earliest: (thread: Int, deadline: UInt64)?
            for index in threads.indices {
                let deadline: UInt64
                switch threads[index].waiting {
                case .condition(_, until: let limit?): deadline = limit
                case .sleep(until: let limit): deadline = limit
                default: continue
                }
                if earliest.map({ deadline < $0.deadline }) ?? true { earliest = (index, deadline) }
            }
            return earliest
        }

        /// Threads that have begun and not ended.
        package var liveThreads: Int { live }

        /// The number and the name of the thread that runs.
        package var runningThread: (number: Int, name: String) { (running, threads[running].name) }

        /// True if a thread waits for a ``Condition`` that nothing has notified.
        package func waitsForCondition(_ thread: Int) -> Bool {
            if case .condition = threads[thread].waiting { true } else { false }
        }

        /// Every thread and what it waits for.
        package var description: String {
            threads.enumerated().map { index, thread in
                let owned = owners.filter { $0.thread == index }.map { String($0.lock, radix: 16) }
                return "  \(index) \(thread.name): \(thread.waiting) at \(thread.point.rawValue), holds \(owned)"
            }.joined(separator: "\n")
        }
    }
#endif
