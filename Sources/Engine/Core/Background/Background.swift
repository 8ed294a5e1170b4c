import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleSegment

/// Flushes, compactions and timed work, on the engine's own threads or, in inline mode, on the caller's.
///
/// One thread flushes. With two or more compaction threads the first takes only work that shortens L0, so that writers
/// never wait behind a deep job. A job's inputs are `busy` until its outputs are in a view.
final class Background: @unchecked Sendable {
    /// The core owns this object and stops its threads before it goes.
    unowned let core: EngineCore

    let lock = Lock()
    /// Signalled when there may be work, when work has ended, and when stopping.
    let changed: Condition

    // Under `lock`.
    var busy: Set<UInt64> = []
    var runningJobs = 0
    var isStopping = false
    /// The thread of the manual compaction that is at work, by its number in the epoch domain.
    private var manualThread: Int?
    var flushFailures = WorkFailures()
    var compactionFailures = WorkFailures()
    /// Since a compaction has found no space: what the outputs of one may take. See Background+Space.
    var outputMax: UInt64?
    /// When to look next whether that bound can go.
    var nextLook: UInt64 = 0
    /// Whether watchers were told that there is no space.
    var hasToldOfSpace = false

    private var threads: [WorkerThread] = []

    init(_ core: EngineCore) {
        self.core = core
        changed = Condition(lock)
    }

    // MARK: Threads

    func startThreads() throws(IOFailure) {
        threads.append(try WorkerThread.start(name: "shale-flush") { [self] in flushLoop() })
        for i in 0..<core.options.compactionThreads {
            let l0Only = i == 0 && core.options.compactionThreads > 1
            threads.append(try WorkerThread.start(name: "shale-compact") { [self] in compactionLoop(l0Only: l0Only) })
        }
        threads.append(try WorkerThread.start(name: "shale-logs") { [self] in logSpaceLoop() })
        threads.append(try WorkerThread.start(name: "shale-remove") { [self] in removalLoop() })
        threads.append(try WorkerThread.start(name: "shale-timer") { [self] in timerLoop() })
    }

    /// Ends all threads after what they are doing. Idempotent.
    func stop() {
        lock.withLock {
            isStopping = true
            changed.broadcast()
        }
        core.spareLog?.attention.unpark()
        for thread in threads { thread.join() }
        threads.removeAll()
    }

    /// Wakes the flush thread, which tries at once what has failed: somebody asks for it, and the disk may have been
    /// relieved meanwhile. Returns how many attempts had begun, whose failures are of no interest to that.
    func flushNow() -> Int {
        lock.withLock {
            flushFailures.clear()
            changed.broadcast()
            return flushFailures.attempts
        }
    }

    func wake() { lock.withLock { changed.broadcast() } }

    /// Under `lock`: waits for a change, or until work of a kind that failed may be tried again. It always waits, or the lock
    /// would never be free: after a failure there are threads that may try again and have nothing to.
    private func waitForWork(_ failures: WorkFailures, at now: UInt64) {
        guard failures.last != nil else { return changed.wait() }
        let pause = failures.pause(at: now)
        _ = changed.timedWait(nanoseconds: pause > 0 ? pause : 1_000_000_000)
    }

    /// Reads the clocks, which are the caller's code: not under `lock`.
    private func readClocks() -> UInt64 {
        core.clock.refreshTrusted()
        return core.clock.monotonicNanoseconds
    }

    private func flushLoop() {
        var now = readClocks()
        lock.lock()
        while !isStopping {
            if flushFailures.mayTry(at: now), core.needsFlush, flushMayFit(at: now) {
                flushFailures.begin()
                lock.unlock()
                finishWork(\.flushFailures) { () throws(StorageError) in try core.flushOrBeginLog() }
            } else {
                waitForWork(flushFailures, at: now)
                lock.unlock()
            }
            now = readClocks()
            lock.lock()
        }
        lock.unlock()
    }

    private func compactionLoop(l0Only: Bool) {
        var now = readClocks()
        lock.lock()
        while !isStopping {
            lookForSpace(at: now)
            if compactionFailures.mayTry(at: now), !isPaused, let (job, horizon) = takeJob(l0Only: l0Only) {
                compactionFailures.begin()
                lock.unlock()
                finishWork(\.compactionFailures, job.outputBytesMax(horizon)) { () throws(StorageError) in
                    try core.run(job, horizon, progress: laneBreak(job))
                }
                lock.withLock { giveBack(job) }
            } else {
                waitForWork(compactionFailures, at: now)
                lock.unlock()
            }
            now = readClocks()
            lock.lock()
        }
        lock.unlock()
    }

    /// With one compaction thread no lane is free for L0, so a deep job stops about every MiB to run an L0 job that has
    /// become due. (One whose inputs the deep job holds has to wait for it: see ``CompactionOptions/upperSegmentBytes``.)
    private func laneBreak(_ job: CompactionJob) -> ((UInt64) throws(StorageError) -> Void)? {
        guard core.options.compactionThreads == 1, !job.relievesL0 else { return nil }
        return { [self] (_: UInt64) throws(StorageError) in
            let waiting = core.viewCell.retained().version.levels[0].segments.count
            core.clock.refreshTrusted()
            guard waiting >= core.options.l0CompactionTrigger,
                let (urgent, horizon) = lock.withLock({ takeJob(l0Only: true) })
            else { return }
            defer { lock.withLock { giveBack(urgent) } }
            try core.run(urgent, horizon, progress: nil)
        }
    }

    /// Under `lock`. The clock was read a moment ago.
    private func takeJob(l0Only: Bool) -> (CompactionJob, Horizon)? {
        let picker = core.picker(busy: busy)
        guard let job = pick(picker, l0Only: l0Only) else { return nil }
        reserve(job)
        return (job, picker.horizon)
    }

    /// Under `lock`.
    private func reserve(_ job: CompactionJob) {
        busy.formUnion(job.segments.map(\.number))
        runningJobs += 1
    }

    /// Under `lock`.
    private func giveBack(_ job: CompactionJob) {
        busy.subtract(job.segments.map(\.number))
        runningJobs -= 1
        changed.broadcast()
    }

    // MARK: Failures

    /// Runs a piece of work and keeps account of failure: what failed before the manifest was touched is tried again
    /// after a pause of 1 to 60 s, and writers that wait for it are told. `outputBytes`: what the work may have had to write.
    private func finishWork(
        _ failures: ReferenceWritableKeyPath<Background, WorkFailures>, _ outputBytes: UInt64? = nil,
        _ work: () throws(StorageError) -> Void
    ) {
        do throws(StorageError) {
            try work()
            lock.withLock {
                // A job that fits says nothing of those that did not.
                if outputBytes == nil || outputMax == nil { self[keyPath: failures].clear() }
            }
        } catch {
            core.counters.backgroundFailures.add(1)
            core.events.send(.backgroundFailure(error))
            let now = core.clock.monotonicNanoseconds
            lock.withLock {
                self[keyPath: failures].fail(error, at: now)
                if let outputBytes, error.code == .noSpace { limitOutput(below: outputBytes, at: now) }
                changed.broadcast()
            }
        }
        tellOfSpace()
    }

    // MARK: Inline

    /// Does all work there is, on this thread.
    func runInline() throws(StorageError) {
        while core.needsFlush { try core.flushOrBeginLog() }
        try compactInline()
        guard isOutOfSpace else { return }
        lock.withLock {
            flushFailures.clear()
            compactionFailures.clear()
        }
        tellOfSpace()
    }

    /// Does all compactions that are due, on this thread.
    func compactInline() throws(StorageError) {
        core.clock.refreshTrusted()
        while let (job, horizon) = lock.withLock({ takeJob(l0Only: false) }) {
            defer { lock.withLock { giveBack(job) } }
            try core.run(job, horizon, progress: nil)
            core.clock.refreshTrusted()
        }
    }

    /// The same for a caller whose own work is done already: what fails is accounted for as on a thread.
    func runInlineInBackground() {
        lock.withLock { compactionFailures.begin() }
        finishWork(\.compactionFailures) { () throws(StorageError) in try runInline() }
    }

    // MARK: Manual work

    /// Under `lock`. A manual compaction holds automatic picks back.
    var isPaused: Bool { manualThread != nil }

    /// Refuses what would wait for the manual compaction whose progress it is called from, and so for ever.
    func requireOutsideOfProgress() throws(StorageError) {
        let thread = core.domain.threadNumber
        guard lock.withLock({ manualThread != thread }) else {
            throw StorageError(
                .invalidArgument, "a compaction's progress can neither close the store nor compact it; it may throw")
        }
    }

    /// Keeps automatic compactions from beginning and waits for those that run. One manual compaction works at a time,
    /// because its jobs' inputs are not reserved; others wait here.
    func pause() throws(StorageError) {
        try requireOutsideOfProgress()
        let thread = core.domain.threadNumber
        try wait {
            guard !isPaused, !isStopping else { return false }
            manualThread = thread
            return true
        }
        do {
            try wait { runningJobs == 0 }
        } catch {
            resume()
            throw error
        }
    }

    func resume() {
        lock.withLock {
            manualThread = nil
            changed.broadcast()
        }
    }

    /// After ``stop()``: returns when no manual compaction is at work any more. None begins after that.
    func waitForManualWork() { lock.withLock { while isPaused { changed.wait() } } }

    // MARK: Waiting for it

    /// Blocks until `condition` holds. Failing work of the kind that is waited for ends the wait with its error, because
    /// nothing else could; but not the failure of one of the first `attempts`. A write ends its wait with `.stalled` when
    /// `isOverdue`, which reads the clock and so is asked without `lock`; no other caller has a deadline.
    func wait(
        for failures: KeyPath<Background, WorkFailures>? = nil, after attempts: Int = 0,
        until condition: () -> Bool, unless isOverdue: (() -> Bool)? = nil
    ) throws(StorageError) {
        lock.lock()
        defer { lock.unlock() }
        while !condition() {
            if isStopping { throw StorageError(.closed, "the store was closed") }
            if let failures, let failure = self[keyPath: failures].failure(after: attempts) { throw failure }
            _ = changed.timedWait(nanoseconds: 100_000_000)
            guard let isOverdue else { continue }
            lock.unlock()
            let hasToEnd = isOverdue()
            lock.lock()
            if hasToEnd, !condition() {
                throw StorageError(.stalled, "background work did not finish within the write's deadline")
            }
        }
    }
}
