#if SHALE_SCHEDULES
    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// Runs the threads of a program one at a time and decides at each ``SchedulePoint`` which of them goes on.
    ///
    /// The threads are real threads; a baton says which of them may run. A thread that would block on a ``Lock``, a
    /// ``Condition``, a join or a sleep gives the baton away until what it waits for has come. Time stands still while
    /// any thread can run: when none can, it moves to the earliest deadline. A schedule is the list of the decisions at
    /// points with more than one candidate, so the same list repeats the same run.
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

        /// A thread that is about to begin.
        package struct Registration: Sendable {
            package let thread: Int
            let baton: Baton
        }

        private struct Managed {
            let name: String
            let baton: Baton
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

        // Only the running thread touches these; the baton orders its accesses behind those of the one before.
        private var threads: [Managed] = []
        private var owners: [UInt: Int] = [:]
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

        /// The scheduler of the calling thread, nil if it runs free.
        @usableFromInline
        package static var current: ThreadScheduler? {
            guard let pointer = unsafe pthread_getspecific(ThreadKey.shared.key) else { return nil }
            return unsafe Unmanaged<Ticket>.fromOpaque(pointer).takeUnretainedValue().scheduler
        }

        private static var currentThread: Int {
            guard let pointer = unsafe pthread_getspecific(ThreadKey.shared.key) else { return -1 }
            return unsafe Unmanaged<Ticket>.fromOpaque(pointer).takeUnretainedValue().thread
        }

        /// Runs `body` as the program's first thread. Returns when it and every thread that it started have ended.
        package func run(_ body: () -> Void) {
            let first = register("main")
            first.baton.give()
            begin(first)
            body()
            // A program ends with its threads: those that it has not joined go on here.
            while live > 1 {
                threads[first.thread].waiting = .join(-1)
                decide(first.thread, .join)
            }
            finish(first)
        }

        // MARK: Threads

        /// By the thread that starts another.
        package func register(_ name: String) -> Registration {
            let baton = Baton()
            threads.append(Managed(name: name, baton: baton))
            live += 1
            return Registration(thread: threads.count - 1, baton: baton)
        }

        /// A registered thread that the system refused.
        package func withdraw(_ registration: Registration) { markEnded(registration.thread) }

        /// First on a thread that was registered: returns when its turn has come.
        package func begin(_ registration: Registration) {
            let ticket = Ticket(scheduler: self, thread: registration.thread)
            unsafe pthread_setspecific(ThreadKey.shared.key, Unmanaged.passRetained(ticket).toOpaque())
            registration.baton.take()
        }

        /// Last on a thread.
        package func finish(_ registration: Registration) {
            let thread = registration.thread
            if let ticket = unsafe pthread_getspecific(ThreadKey.shared.key) {
                unsafe Unmanaged<Ticket>.fromOpaque(ticket).release()
                pthread_setspecific(ThreadKey.shared.key, nil)
            }
            markEnded(thread)
            guard live > 0 else { return }
            threads[next(thread, .end)].baton.give()
        }

        private func markEnded(_ thread: Int) {
            threads[thread].waiting = .end
            live -= 1
            for index in threads.indices {
                guard case .join(let joined) = threads[index].waiting else { continue }
                if joined == thread || joined == -1 && live == 1 { threads[index].waiting = .nothing }
            }
        }

        package func join(_ thread: Int) {
            let me = ThreadScheduler.currentThread
            reach(.join)
            while threads[thread].waiting != .end {
                threads[me].waiting = .join(thread)
                decide(me, .join)
            }
        }

        // MARK: Locks

        @usableFromInline
        package func acquire(_ lock: UInt) {
            reach(.lock)
            take(lock, ThreadScheduler.currentThread)
        }

        private func take(_ lock: UInt, _ me: Int) {
            while owners[lock] != nil {
                threads[me].waiting = .lock(lock)
                decide(me, .lock)
            }
            owners[lock] = me
        }

        @usableFromInline
        package func tryAcquire(_ lock: UInt) -> Bool {
            reach(.tryLock)
            guard owners[lock] == nil else { return false }
            owners[lock] = ThreadScheduler.currentThread
            return true
        }

        @usableFromInline
        package func release(_ lock: UInt) {
            owners[lock] = nil
            for index in threads.indices where threads[index].waiting == .lock(lock) {
                threads[index].waiting = .nothing
            }
        }

        // MARK: Conditions

        /// Gives `lock` up, waits and takes it again. False when the time was over first.
        package func wait(_ condition: UInt, _ lock: UInt, nanoseconds limit: UInt64?) -> Bool {
            let me = ThreadScheduler.currentThread
            let deadline = limit.map { self.nanoseconds &+ min($0, 1 << 60) }
            release(lock)
            threads[me].waiting = .condition(condition, until: deadline)
            threads[me].timedOut = false
            decide(me, .wait)
            let timedOut = threads[me].timedOut
            take(lock, me)
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
                let index = waiters.count == 1 ? 0 : ask(candidates, ThreadScheduler.currentThread, .notify)
                threads[waiters[index]].waiting = .nothing
            }
        }

        package func sleep(_ limit: UInt64) {
            let me = ThreadScheduler.currentThread
            threads[me].waiting = .sleep(until: nanoseconds &+ limit)
            decide(me, .sleep)
        }

        // MARK: Memory without locks

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

        package func reach(_ point: SchedulePoint) { decide(ThreadScheduler.currentThread, point) }

        /// Lets another thread go on, or this one; returns when it is this one's turn.
        private func decide(_ me: Int, _ point: SchedulePoint) {
            threads[me].point = point
            let chosen = next(me, point)
            guard chosen != me else { return }
            // Before the baton is given away: from then on the table is another thread's.
            let baton = threads[me].baton
            threads[chosen].baton.give()
            baton.take()
        }

        private func next(_ me: Int, _ point: SchedulePoint) -> Int {
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
            let chosen = candidates[candidates.count == 1 ? 0 : ask(candidates, me, point)]
            if chosen.isTimeout, let timeout {
                if candidates.count > 1 { earlyTimeouts -= 1 }
                threads[chosen.thread].timedOut = true
                threads[chosen.thread].waiting = .nothing
                nanoseconds = max(nanoseconds, timeout.deadline)
                timeMoved(nanoseconds)
            }
            return chosen.thread
        }

        private func ask(_ candidates: [Candidate], _ me: Int, _ point: SchedulePoint) -> Int {
            decisions += 1
            let index = choose(candidates, me, point)
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

        /// Every thread and what it waits for.
        package var description: String {
            threads.enumerated().map { index, thread in
                let owned = owners.filter { $0.value == index }.keys.map { String($0, radix: 16) }
                return "  \(index) \(thread.name): \(thread.waiting) at \(thread.point.rawValue), holds \(owned)"
            }.joined(separator: "\n")
        }
    }
#endif
