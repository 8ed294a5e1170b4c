import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleSegment
import Synchronization

/// Flushes, compactions and timed work, on the engine's own threads or, in inline mode, on the caller's.
///
/// One thread flushes. With two or more compaction threads the first runs only jobs that shrink L0, so that writers
/// never wait behind a deep job. A job's inputs are `busy` until its outputs are in a view.
final class Background: @unchecked Sendable {
    /// The core owns this object and stops its threads before releasing it.
    unowned let core: EngineCore

    let lock = Lock()
    /// Signalled when work may have arrived, when work has ended, and when stopping.
    let changed: Condition

    // Under `lock`.
    var busy: Set<UInt64> = []
    var runningJobs = 0
    var isStopping = false
    /// True once a thread syncs growing value files.
    var syncsValues = false
    /// The thread that runs the manual compaction, by its number in the epoch domain.
    private var manualThread: Int?
    var flushFailures = WorkFailures()
    var compactionFailures = WorkFailures()
    /// The largest permitted output of a compaction, after one has found no space. See Background+Space.
    var outputMax: UInt64?
    /// The next time to check if that bound can be lifted.
    var nextSpaceProbe: UInt64 = 0
    /// The state of `isOutOfSpace` that observers were last notified of.
    var reportedOutOfSpace = false

    var threads: [WorkerThread] = []
    /// Does the requests of other processes. Set by the timer thread, and read after that has ended.
    private var requestThread: WorkerThread?
    private let isServing = Atomic(false)
    private(set) lazy var requests = RequestServer(core) { [unowned self] in lock.withLock { isStopping } }

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
        if core.options.largeValueBytes > 0 { try startValueSyncs() }
        threads.append(try WorkerThread.start(name: "shale-remove") { [self] in removalLoop() })
        threads.append(try WorkerThread.start(name: "shale-timer") { [self] in timerLoop() })
    }

    /// Stops all threads when they finish their current work. Idempotent.
    func stop() {
        lock.withLock {
            isStopping = true
            if PlantedBug.isActive(.signalOneThread) { changed.signal() } else { changed.broadcast() }
        }
        core.spareLog?.wakeup.unpark()
        core.committer.separation?.wakeup.unpark()
        for thread in threads { thread.join() }
        threads.removeAll()
        requestThread?.join()
    }

    /// Begins to do the requests of other processes if there are any. They run on a thread of their own, because they
    /// take long. Called by the timer thread.
    func serveRequests() throws(StorageError) {
        guard core.options.acceptsRequests, !isServing.load(ordering: .acquiring), requests.isAsked() else { return }
        requestThread?.join()
        isServing.store(true, ordering: .relaxed)
        do {
            requestThread = try WorkerThread.start(name: "shale-requests") { [self] in
                requests.serve()
                isServing.store(false, ordering: .releasing)
            }
        } catch {
            isServing.store(false, ordering: .relaxed)
            throw error.storageError
        }
    }

    /// Wakes the flush thread and makes it retry failed work at once, because a caller asks for it and the disk may
    /// have space again.
    ///
    /// - Returns: The number of attempts that have begun. The caller ignores their failures.
    func flushNow() -> Int {
        lock.withLock {
            flushFailures.clear()
            changed.broadcast()
            return flushFailures.attempts
        }
    }

    func wake() { lock.withLock { changed.broadcast() } }

    /// Waits for a change, or until work of a kind that failed may be retried. Under `lock`.
    ///
    /// It always waits, so that other threads can take the lock: after a failure, a thread that may retry can have
    /// nothing to do.
    private func waitForWork(_ failures: WorkFailures, at now: UInt64) {
        guard failures.last != nil else { return changed.wait() }
        let pause = failures.pause(at: now)
        _ = changed.timedWait(nanoseconds: pause > 0 ? pause : 1_000_000_000)
    }

    /// Reads the clocks. Not under `lock`, because the clocks are the caller's code.
    private func readClocks() -> UInt64 {
        core.clock.refreshTrusted()
        return core.clock.monotonicNanoseconds
    }

    private func flushLoop() {
        var now = readClocks()
        lock.lock()
        while !isStopping {
            let deferral = core.flushDeferral(at: now)
            if deferral > 0 {
                _ = changed.timedWait(nanoseconds: deferral)
                lock.unlock()
            } else if flushFailures.mayTry(at: now), core.needsFlush, flushMayFit(at: now) {
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
            probeForSpace(at: now)
            if compactionFailures.mayTry(at: now), !isPaused, let (job, horizon) = takeJob(l0Only: l0Only) {
                compactionFailures.begin()
                lock.unlock()
                finishWork(\.compactionFailures, job.outputBytesMax(horizon)) { () throws(StorageError) in
                    try core.run(job, horizon, progress: l0Preemption(job))
                }
                lock.withLock { release(job) }
            } else {
                waitForWork(compactionFailures, at: now)
                lock.unlock()
            }
            now = readClocks()
            lock.lock()
        }
        lock.unlock()
    }

    /// Returns a callback that runs due L0 jobs within a deep job, for a single compaction thread.
    ///
    /// With one thread no lane is free for L0, so a deep job stops about every MiB to run an L0 job that has become
    /// due. An L0 job whose inputs the deep job holds has to wait: see ``CompactionOptions/upperSegmentBytes``.
    private func l0Preemption(_ job: CompactionJob) -> ((UInt64) throws(StorageError) -> Void)? {
        guard core.options.compactionThreads == 1, !job.relievesL0 else { return nil }
        return { [self] (_: UInt64) throws(StorageError) in
            let waiting = core.viewCell.retained().version.levels[0].segments.count
            core.clock.refreshTrusted()
            guard waiting >= core.options.l0CompactionTrigger,
                let (urgent, horizon) = lock.withLock({ takeJob(l0Only: true) })
            else { return }
            defer { lock.withLock { release(urgent) } }
            try core.run(urgent, horizon, progress: nil)
        }
    }

    /// Picks and reserves a job. Under `lock`; the caller has just read the clock.
    private func takeJob(l0Only: Bool) -> (CompactionJob, Horizon)? {
        let picker = core.picker(busy: busy)
        guard let job = pick(picker, l0Only: l0Only) else { return nil }
        reserve(job)
        return (job, picker.horizon)
    }

    /// Marks a job's inputs as busy. Under `lock`.
    private func reserve(_ job: CompactionJob) {
        busy.formUnion(job.segments.map(\.number))
        runningJobs += 1
    }

    /// Releases a job's inputs and wakes waiting threads. Under `lock`.
    private func release(_ job: CompactionJob) {
        busy.subtract(job.segments.map(\.number))
        runningJobs -= 1
        if !PlantedBug.isActive(.loseWorkEnd) { changed.broadcast() }
    }

    // MARK: Failures

    /// Runs work and records its failure.
    ///
    /// Work that failed before the manifest changed is retried after 1 to 60 s, and waiting writers are notified.
    ///
    /// - Parameter outputBytes: The most that the work may have to write.
    private func finishWork(
        _ failures: ReferenceWritableKeyPath<Background, WorkFailures>, _ outputBytes: UInt64? = nil,
        _ work: () throws(StorageError) -> Void
    ) {
        do throws(StorageError) {
            try work()
            lock.withLock {
                // A job that fits doesn't show that the larger ones fit.
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
        reportSpace()
    }

    // MARK: Inline

    /// Runs all pending work on this thread.
    func runInline() throws(StorageError) {
        while core.needsFlush { try core.flushOrBeginLog() }
        try compactInline()
        guard isOutOfSpace else { return }
        lock.withLock {
            flushFailures.clear()
            compactionFailures.clear()
        }
        reportSpace()
    }

    /// Runs all due compactions on this thread.
    func compactInline() throws(StorageError) {
        core.clock.refreshTrusted()
        while let (job, horizon) = lock.withLock({ takeJob(l0Only: false) }) {
            defer { lock.withLock { release(job) } }
            try core.run(job, horizon, progress: nil)
            core.clock.refreshTrusted()
        }
    }

    /// Runs all pending work for a caller whose own work is done. A failure is recorded as on a background thread.
    func runInlineInBackground() {
        lock.withLock { compactionFailures.begin() }
        finishWork(\.compactionFailures) { () throws(StorageError) in try runInline() }
    }

    // MARK: Manual work

    /// True while a manual compaction blocks automatic ones. Under `lock`.
    var isPaused: Bool { manualThread != nil }

    /// Throws if this thread runs a manual compaction. Its `progress` callback would otherwise wait for that compaction
    /// for ever.
    func requireOutsideOfProgress() throws(StorageError) {
        let thread = core.domain.threadNumber
        guard lock.withLock({ manualThread != thread }) else {
            throw StorageError(
                .invalidArgument,
                "a compaction's progress callback can't close or compact the store; it can throw an error"
            )
        }
    }

    /// Blocks new automatic compactions and waits until the running ones end.
    ///
    /// Only one manual compaction runs at a time, because the inputs of its jobs are not reserved. Others wait here.
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

    /// Waits until no manual compaction is running. Call it after ``stop()``: no manual compaction begins after that.
    func waitForManualWork() { lock.withLock { while isPaused { changed.wait() } } }

    // MARK: Waiting for it

    /// Blocks until `condition` holds.
    ///
    /// - Parameters:
    ///   - failures: The kind of work to wait for. Its failure ends the wait with its error, because nothing else
    ///     could.
    ///   - attempts: The number of first attempts whose failures are ignored.
    ///   - isOverdue: Ends the wait with `.stalled`. It reads the clock, so it is called without `lock`. Only writes
    ///     have a deadline.
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
            let mustEnd = isOverdue()
            lock.lock()
            if mustEnd, !condition() {
                throw StorageError(.stalled, "background work did not finish within the write's deadline")
            }
        }
    }
}
